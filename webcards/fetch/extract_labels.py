"""Words by which pages mark what is no part of an article: related links, pleas, advertisements, datelines.

Each is asked of one short block. The lists hold the languages that the pages we met were written in, and their neighbours.
"""

from __future__ import annotations

import re

_RELATED = re.compile(
    r"^\W*(?:related(?:\s+(?:articles?|stor(?:y|ies)|posts?|content|news|links?|coverage|reading|topics?|searches|video))?|read(?:\s+(?:more|also|next|this|on|our))"
    r"|also\s+(?:read|see|on)|see\s+(?:more|also)|more(?:\s+(?:from|on|about|in|stories|news|like this|coverage))?|watch(?:\s+(?:now|also|more|next|this))?"
    r"|listen|don[’'`]?t\s+miss|must[\s-]+(?:read|see|watch)|recommended(?:\s+for\s+you)?|you\s+(?:may|might)\s+(?:also\s+)?(?:like|enjoy|be interested)|up\s+next|next(?:\s+up)?|previously"
    r"|explore\s+further|further\s+reading|in\s+pictures|what\s+to\s+read\s+next|trending|most\s+(?:read|popular|viewed)|popular|top\s+stories|editor[’']?s?\s+picks?|keep\s+reading|continue\s+reading"
    r"|lire\s+(?:aussi|la\s+suite|également)|à\s+lire(?:\s+aussi)?|voir\s+aussi|sur\s+le\s+même\s+sujet|articles?\s+liés"
    r"|lea\s+(?:también|más)|leer\s+más|ver\s+(?:también|más)|te\s+puede\s+interesar|relacionad[ao]s?|noticias?\s+relacionadas?|mira\s+también|además"
    r"|leia\s+(?:também|mais)|veja\s+(?:também|mais)|saiba\s+mais|confira"
    r"|leggi\s+(?:anche|di\s+più)|guarda\s+anche|lees\s+(?:ook|meer|verder)|bekijk\s+ook"
    r"|lesen\s+sie\s+(?:auch|mehr|dazu)|mehr\s+(?:zum\s+thema|dazu|lesen)|das\s+könnte\s+sie\s+auch\s+interessieren|weiterlesen|auch\s+interessant|zum\s+thema|siehe\s+auch"
    r"|læs\s+også|les\s+også|läs\s+(?:också|även|mer)|lue\s+myös|czytaj\s+(?:też|także|również|więcej)|zobacz\s+(?:też|także|również)|čtěte\s+(?:také|více)|přečtěte\s+si|související"
    r"|citește\s+și|citeşte\s+şi|olvassa?\s+(?:el|tovább)|kapcsolódó|διαβάστε\s+(?:επίσης|περισσότερα)|ayrıca\s+oku(?:yun)?|ilgili\s+haber(?:ler)?|baca\s+juga|xem\s+thêm|đọc\s+thêm"
    r"|читайте\s+(?:также|ещё|еще)|по\s+теме|смотрите\s+также|материалы\s+по\s+теме|подробнее|читайте\s+також|вижте\s+(?:още|също)|прочети\s+още"
    r"|اقرأ\s+(?:أيضا|أيضًا|المزيد)|اقرأ\s+أيضاً|مواضيع\s+ذات\s+صلة|بیشتر\s+بخوانید|קראו\s+(?:גם|עוד)|यह\s+भी\s+पढ़ें|ये\s+भी\s+पढ़ें"
    r"|相关(?:阅读|新闻|文章|链接|推荐|报道)|延伸阅读|推荐阅读|更多(?:阅读|新闻|内容)|猜你喜欢|相關(?:新聞|文章|報導)|延伸閱讀|推薦閱讀|関連(?:記事|ニュース|リンク)|あわせて読みたい|こちらも(?:読む|おすすめ)|おすすめ(?:記事)?|관련\s*(?:기사|뉴스|글))"
    r"(?![a-z])",
    re.I,
)
_PLEA = re.compile(
    r"^\W*(?:click\s+(?:here|on)|tap\s+here|sign[\s-]+up|sign\s+in|log\s+in|subscribe|(?:please\s+)?(?:like|follow)\s+(?:us|me|our|@)|follow\s+\S+(?:\s+\S+){0,6}\s+on\s+(?:twitter|facebook|instagram|x\b|linkedin|telegram|whatsapp|youtube|tiktok)"
    r"|join\s+(?:us|our|the\s+conversation)|download\s+(?:our|the)\b.{0,40}\bapp|get\s+(?:the|our|your)\b.{0,80}\b(?:newsletter|app|inbox|delivered)|want\s+(?:more|to\s+(?:read|get|see))|need\s+more\s+\w+\?"
    r"|support\s+(?:us|our)|donate|become\s+a\s+(?:member|subscriber|patron)|enjoy(?:ed|ing)?\s+th(?:is|e)\b.{0,80}\?|did\s+you\s+(?:like|enjoy)|share\s+(?:this|on|your|with)|tweet\s+this|pin\s+it|print\s+this|email\s+this"
    r"|tell\s+us\s+what|let\s+us\s+know|leave\s+a\s+(?:comment|reply)|post\s+a\s+comment|what\s+do\s+you\s+think|have\s+(?:a\s+)?(?:tip|question|something\s+to)|got\s+a\s+(?:tip|story)|contact\s+us|send\s+(?:us\s+)?(?:a\s+|your\s+)?(?:tip|feedback)"
    r"|there[’']s\s+plenty\s+more|start\s+your\s+(?:day|free|trial)|try\s+\S+\s+free|for\s+more\s+(?:news|stories|information|on\s+this|coverage)|stay\s+(?:up\s+to\s+date|tuned|informed|connected)|never\s+miss"
    r"|this\s+(?:post|article|page|story)\s+(?:may\s+)?contains?\s+affiliate|we\s+may\s+(?:earn|receive)\s+(?:a\s+)?commission|abonnez[\s-]vous|inscrivez[\s-]vous|suivez[\s-]nous|suscríbete|síguenos|inscreva-se|siga\s+|assine"
    r"|abonnieren\s+sie|folgen\s+sie|jetzt\s+(?:abonnieren|anmelden|lesen)|hier\s+(?:klicken|geht)|iscriviti|seguici|подпис(?:ывайтесь|аться)|подпишитесь|следите\s+за|关注我们|扫码|订阅|訂閱|フォロー|登録)",
    re.I,
)
_ADVERTISEMENT = re.compile(
    r"^\W*(?:advert(?:isement)?s?|ad|sponsored(?:\s+(?:content|links?|by\b.*))?|promoted(?:\s+(?:content|stories|by\b.*))?|(?:story|article)\s+continues\s+below(?:\s+\w+)*|(?:continue|scroll)\s+(?:reading|down)?\s*(?:below|for\s+more|to\s+continue).{0,30}"
    r"|loading\.*|please\s+wait\.*|close|play|pause|mute|video|image|photo|gallery|caption|share|tweet|pin|email|print|comments?|reply|replies|save|like|report|more|menu|search|skip|next|previous|prev|back|top|back\s+to\s+top|expand|collapse|show\s+(?:more|less|caption)|hide\s+caption|toggle\s+\w+|view\s+(?:all|gallery|slideshow|comments)(?:\s*\(\d+\))?|\d+\s+comments?|no\s+comments?"
    r"|media\s+playback\s+is\s+(?:not\s+supported|unsupported)\s+on\s+(?:this|your)\s+device|your\s+browser\s+does\s+not\s+support.{0,60}|copy\s+link|link\s+copied!?|copied!?|published|updated|by"
    r"|anzeige|werbung|publicité|publicidade|publicidad|pubblicità|reklama?|реклама|advertentie|annons|annonse|mainos|iklan|広告|广告|廣告|광고)\W*$",
    re.I,
)
_DATELINE = re.compile(
    r"^\W*(?:last\s+)?(?:updated?|published|posted|modified|edited|created|first\s+published|publié|mis\s+à\s+jour|veröffentlicht|aktualisiert|stand|publicado|actualizado|atualizado|pubblicato|aggiornato|опубликовано|обновлено|发布时间|更新时间|発行|更新日|公開日)"
    r"(?:\s+(?:on|at|le|am|em|el|il))?\s*[:：]?\s*.{0,50}\d.{0,40}$",
    re.I,
)
_NEXT_TO_PICTURE = re.compile(
    r"(?:\((?:image|photo|picture|pic|credit|source|foto|bild|photograph)s?\s*(?:credit|source|by)?\s*[:：/].{1,60}\)\s*$|^(?:image|photo|picture)\s+(?:copyright|caption|source|credit)\b|^(?:photo|image|picture|foto|credit|source|fotó|фото|圖|图|写真)\s*(?:credit|source|by|courtesy)?\s*[:：]\s*.{1,80}$|\|\s*foto:|/(?:getty|afp|reuters|ap|istock|shutterstock)\b.{0,30}$)",
    re.I,
)
_HEADS_OTHER_PAGES = 60


def leads_elsewhere(text: str) -> bool:
    """Whether a block opens with a word that sends the reader to other pages ("Related:", "Read more")."""
    return bool(_RELATED.match(text))


def heads_other_pages(text: str) -> bool:
    """Whether a heading announces other pages and nothing else."""
    match = _RELATED.match(text)
    return bool(match) and len(text) <= _HEADS_OTHER_PAGES


def is_plea(text: str) -> bool:
    """Whether a block asks the reader for something (a subscription, a click, a comment)."""
    return bool(_PLEA.match(text))


def is_label(text: str) -> bool:
    """Whether a block is a control's or an advertisement's label and nothing else."""
    return len(text) <= 80 and bool(_ADVERTISEMENT.match(text))


def is_dateline(text: str) -> bool:
    """Whether a block only says when the page was published or changed."""
    return len(text) <= 100 and bool(_DATELINE.match(text))


def credits_picture(text: str) -> bool:
    """Whether a block is the credit or the caption of a picture by its wording."""
    return len(text) <= 400 and bool(_NEXT_TO_PICTURE.search(text))

"""Words by which pages mark what is no part of an article: related links, pleas, advertisements, datelines, credits.

Each is asked of one short block. The lists hold the languages of the pages that we met, and their neighbours.
"""

from __future__ import annotations

import re

# What stands in a link to the link's own place.
PERMALINK_SIGNS = frozenset(["¶", "#", "§", "🔗", "⚓", "∞"])


def _phrases(text: str) -> str:
    """Alternatives of a pattern, one a line or between bars; a space stands for any white space."""
    return "|".join(part.strip().replace(" ", r"\s+") for part in re.split(r"[|\n]", text) if part.strip())


_RELATED = re.compile(
    r"^\W*(?:"
    + _phrases(
        r"""
        tags?\b | tagged | filed under | posted in | category | categories | topics? | labels? | etiquetas? | schlagwörter
        mots-clés | теги | метки
        related | related (?:articles?|story|stories|posts?|content|news|links?|coverage|reading|topics?|searches|video)
        read (?:more|also|next|this|on|our) | also (?:read|see|on) | see (?:more|also) | more
        more (?:from|on|about|in|stories|news|like this|coverage) | watch | watch (?:now|also|more|next|this) | listen
        don[’'`]?t miss | must[ -](?:read|see|watch) | recommended | recommended for you
        you (?:may|might) (?:also )?(?:like|enjoy|be interested) | up next | next up | next | previously | explore further
        further reading | in pictures | what to read next | trending | most (?:read|popular|viewed) | popular | top stories
        editor[’']?s?[’']? picks? | keep reading | continue reading
        lire (?:aussi|la suite|également) | à lire | à lire aussi | voir aussi | sur le même sujet | articles? liés
        lea (?:también|más) | leer más | ver (?:también|más) | te puede interesar | relacionad[ao]s?
        noticias? relacionadas? | mira también | además | leia (?:também|mais) | veja (?:também|mais) | saiba mais | confira
        leggi (?:anche|di più) | guarda anche | lees (?:ook|meer|verder) | bekijk ook
        lesen sie (?:auch|mehr|dazu) | mehr (?:zum thema|dazu|lesen) | das könnte sie auch interessieren | weiterlesen
        auch interessant | zum thema | siehe auch
        læs også | les også | läs (?:också|även|mer) | lue myös | czytaj (?:też|także|również|więcej)
        zobacz (?:też|także|również) | čtěte (?:také|více) | přečtěte si | související | citește și | citeşte şi
        olvass?a? (?:el|tovább) | kapcsolódó | διαβάστε (?:επίσης|περισσότερα) | ayrıca oku(?:yun)? | ilgili haber(?:ler)?
        baca juga | xem thêm | đọc thêm
        читайте (?:также|ещё|еще) | по теме | смотрите также | материалы по теме | подробнее | читайте також
        вижте (?:още|също) | прочети още
        اقرأ (?:أيضا|أيضًا|أيضاً|المزيد) | مواضيع ذات صلة | بیشتر بخوانید | קראו (?:גם|עוד) | यह भी पढ़ें | ये भी पढ़ें
        相关(?:阅读|新闻|文章|链接|推荐|报道) | 延伸阅读 | 推荐阅读 | 更多(?:阅读|新闻|内容) | 猜你喜欢
        相關(?:新聞|文章|報導) | 延伸閱讀 | 推薦閱讀 | 関連(?:記事|ニュース|リンク) | あわせて読みたい | おすすめ記事
        관련\s*(?:기사|뉴스|글)
        """
    )
    + r")(?![a-z])",
    re.IGNORECASE,
)
_PLEA = re.compile(
    r"^\W*(?:"
    + _phrases(
        r"""
        click (?:here|on) | tap here | sign[ -]up | sign in | log in | subscribe | (?:please )?(?:like|follow) (?:us|me|our|@)
        follow \S+(?: \S+){0,6} on (?:twitter|facebook|instagram|x\b|linkedin|telegram|whatsapp|youtube|tiktok)
        join (?:us|our|the conversation) | download (?:our|the)\b.{0,40}\bapp
        get (?:the|our|your)\b.{0,80}\b(?:newsletter|app|inbox|delivered) | want (?:more|to (?:read|get|see))
        need more \w+\? | support (?:us|our) | donate | become a (?:member|subscriber|patron)
        enjoy(?:ed|ing)? th(?:is|e)\b.{0,80}\? | did you (?:like|enjoy) | share (?:this|on|your|with) | tweet this | pin it
        print this | email this | tell us what | let us know | leave a (?:comment|reply) | post a comment | what do you think
        have (?:a )?(?:tip|question|something to) | got a (?:tip|story) | contact us
        send (?:us )?(?:a |your )?(?:tip|feedback)
        there[’']s plenty more | start your (?:day|free|trial) | try \S+ free | stay (?:up to date|tuned|informed|connected)
        for more (?:news|stories|information|on this|coverage) | never miss
        this (?:post|article|page|story) (?:may )?contains? affiliate | we may (?:earn|receive) (?:a )?commission
        abonnez[ -]vous | inscrivez[ -]vous | suivez[ -]nous | suscríbete | síguenos | inscreva-se | siga\s | assine
        abonnieren sie | folgen sie | jetzt (?:abonnieren|anmelden|lesen) | hier (?:klicken|geht) | iscriviti | seguici
        подпис(?:ывайтесь|аться) | подпишитесь | следите за | 关注我们 | 扫码 | 订阅 | 訂閱 | フォロー | 登録
        """
    )
    + ")",
    re.IGNORECASE,
)
_NETWORKS = (
    r"(?:(?:facebook|twitter|google\+?|whatsapp|linkedin|pinterest|e-?mail|reddit|tumblr|telegram|instagram|youtube|rss|flipboard"
    r"|pocket|weibo|wechat|vk|line|print|copy link)\W*){2,}"
)
_LABEL = re.compile(
    r"^\W*(?:"
    + _phrases(
        r"""
        advert(?:isement)?s? | ad | sponsored | sponsored (?:content|links?|by\b.*) | promoted
        promoted (?:content|stories|by\b.*) | (?:story|article) continues below(?: \w+)*
        (?:continue|scroll) (?:reading |down )?(?:below|for more|to continue).{0,30} | loading\.* | please wait\.*
        close | play | pause | mute | video | image | photo | gallery | caption | share | tweet | pin | email
        print | comments? | reply | replies | save | like | report | more | menu | search | skip | next | previous
        prev | back | top | back to top | expand | collapse | show (?:more|less|caption) | hide caption | toggle \w+
        published | updated | view (?:all|gallery|slideshow|comments)(?:\s*\(\d+\))? | \d+ comments? | no comments?
        copy link | link copied!? | copied!?
        media playback is (?:not supported|unsupported) on (?:this|your) device
        your browser does not support.{0,60} | by | anzeige | werbung | publicité | publicidade | publicidad
        pubblicità | reklama? | реклама | advertentie | annons | annonse | mainos | iklan | 広告 | 广告 | 廣告 | 광고
        voltar | zurück | retour | volver | indietro | terug | назад | 返回 | 戻る
        """
    )
    + f"|{_NETWORKS}"
    + r")\W*$",
    re.IGNORECASE,
)
_DATELINE = re.compile(
    r"^\W*(?:last\s+)?(?:"
    + _phrases(
        r"""
        updated? | published | posted | modified | edited | created | first published | publié | mis à jour | veröffentlicht
        aktualisiert | stand | publicado | actualizado | atualizado | pubblicato | aggiornato | опубликовано | обновлено
        发布时间 | 更新时间 | 更新日 | 公開日
        """
    )
    + r")(?:\s+(?:on|at|le|am|em|el|il))?\s*[:：]?\s*.{0,50}\d.{0,40}$",
    re.IGNORECASE,
)
_CREDIT = re.compile(
    r"\((?:image|photo|picture|pic|credit|source|foto|bild|photograph)s?\s*(?:credit|source|by)?\s*[:：/].{1,60}\)\s*$"
    r"|^(?:image|photo|picture)\s+(?:copyright|caption|source|credit)\b"
    r"|^(?:photo|image|picture|foto|credit|source|fotó|фото|圖|图|写真)\s*(?:credit|source|by|courtesy)?\s*[:：]\s*.{1,80}$"
    r"|\|\s*foto:|/(?:getty|afp|reuters|ap|istock|shutterstock)\b.{0,30}$",
    re.IGNORECASE,
)
# A credit begins with one of these, or ends with a bracket, or has the stroke that agencies put before their name.
_CREDIT_STARTS = (
    "photo",
    "image",
    "foto",
    "fotó",
    "credit",
    "picture",
    "source",
    "courtesy",
    "bild",
    "фото",
    "圖",
    "图",
    "写真",
)
_MOST_HEADING, _MOST_LABEL, _MOST_DATELINE, _MOST_CREDIT = 60, 80, 100, 400


def leads_elsewhere(text: str) -> bool:
    """Whether a block opens with a word that sends the reader to other pages ("Related:", "Read more")."""
    return bool(_RELATED.match(text))


def heads_other_pages(text: str) -> bool:
    """Whether a heading announces other pages and nothing else."""
    return len(text) <= _MOST_HEADING and bool(_RELATED.match(text))


def is_plea(text: str) -> bool:
    """Whether a block asks the reader for something (a subscription, a click, a comment)."""
    return bool(_PLEA.match(text))


def is_label(text: str) -> bool:
    """Whether a block is a control's or an advertisement's label and nothing else."""
    return len(text) <= _MOST_LABEL and bool(_LABEL.match(text))


def is_dateline(text: str) -> bool:
    """Whether a block only says when the page was published or changed."""
    return len(text) <= _MOST_DATELINE and bool(_DATELINE.match(text))


def credits_picture(text: str) -> bool:
    """Whether a block is the credit or the caption of a picture by its wording."""
    if len(text) > _MOST_CREDIT:
        return False
    if not (text.endswith(")") or "/" in text or "|" in text or text[:10].lower().startswith(_CREDIT_STARTS)):
        return False
    return bool(_CREDIT.search(text))

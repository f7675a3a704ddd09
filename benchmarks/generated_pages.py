"""Pages and queries made by rule, the same every time: a vocabulary with Zipf's law, subjects, and pages of uneven length."""

import random
from collections.abc import Iterator
from itertools import accumulate

from webcards.library.index import Document

VOCABULARY = 150_000
SUBJECTS = 800
WORDS_OF_A_SUBJECT = 60
_COMMON = (  # noqa: SIM905  # so many words are read more easily so
    "the of and to a in is that it for was on as with be by he at from his this are or had not but have an they which one you "
    "were all her she there would their we him been has when who will no more if out so up said what its about than into them "
    "can only other time new some could these two may first then do any like my now over such our man me even most made after "
    "also did many off before must well back through years where much your way down should because long each just state people"
).split()
_ONSETS = "b c d f g h j k l m n p r s t v w br ch cl cr dr fl gr pl pr sh sl sp st th tr".split()  # noqa: SIM905
_VOWELS = "a e i o u ai ea ee io ou".split()  # noqa: SIM905
_CODAS = ["", "", "n", "r", "l", "s", "t", "m", "nd", "st", "ck"]
_ENDINGS = ["", "", "", "s", "ed", "ing", "er", "ation", "ly", "ness"]


class Web:
    """A made-up web. `pages(n)` are its first n pages, `queries(n)` what people ask of it."""

    def __init__(self, seed: int = 4) -> None:
        self._random = random.Random(seed)
        self._words = [*_COMMON, *self._made_words(VOCABULARY - len(_COMMON))]
        # Zipf with Mandelbrot's shift, near to what is found in English text.
        self._shares = list(accumulate(1 / (rank + 2.7) ** 1.05 for rank in range(VOCABULARY)))
        self._subjects = [self._subject() for _ in range(SUBJECTS)]

    def pages(self, number: int) -> Iterator[Document]:
        """Pages of a median length of 220 words, one in ten of them over 550."""
        for page in range(number):
            chance = random.Random(page)
            subject = self._subjects[int(chance.random() ** 1.5 * SUBJECTS)]
            length = max(30, int(chance.lognormvariate(5.4, 0.7)))
            words = chance.choices(self._words, cum_weights=self._shares, k=length)
            for place in chance.sample(range(length), length // 5):
                words[place] = chance.choice(subject)
            title = " ".join(chance.choices(subject, k=3) + chance.choices(self._words, cum_weights=self._shares, k=2))
            headings = [" ".join(chance.choices(subject, k=2)) for _ in range(1 + length // 200)]
            yield Document(
                url=f"https://site{chance.randrange(300)}.example/{subject[0]}/{page}",
                title=title.capitalize(),
                text="\n".join(_paragraphs(words, headings)),
                headings="\n".join(headings),
                published=f"20{chance.randrange(10, 27)}-0{chance.randrange(1, 10)}-1{chance.randrange(10)}",
            )

    def queries(self, number: int) -> Iterator[str]:
        """Queries as a log has them: mostly two to four words of a subject, some common, some questions and phrases."""
        for ask in range(number):
            chance = random.Random(-1 - ask)
            subject = self._subjects[int(chance.random() ** 1.5 * SUBJECTS)]
            words = chance.sample(subject, chance.choice([1, 1, 2, 2, 2, 3, 3, 4]))
            words += chance.choices(self._words, cum_weights=self._shares, k=chance.choice([0, 0, 1, 1, 2]))
            match chance.randrange(10):
                case 0:
                    yield "how do I " + " ".join(words) + " with the " + chance.choice(subject)
                case 1:
                    yield f'"{" ".join(words[:2])}" ' + " ".join(words[2:])
                case 2:
                    yield f"{words[0][:5]}* " + " ".join(words[1:])
                case 3:
                    yield " ".join(words) + f" site:site{chance.randrange(300)}.example"
                case 4:
                    yield " ".join(words) + f" -{chance.choice(subject)}"
                case _:
                    yield " ".join(words)

    def _made_words(self, number: int) -> list[str]:
        made: dict[str, None] = {}
        while len(made) < number:
            syllables = self._random.choices([1, 2, 3, 4], [2, 5, 3, 1])[0]
            stem = "".join(
                self._random.choice(_ONSETS) + self._random.choice(_VOWELS) + self._random.choice(_CODAS)
                for _ in range(syllables)
            )
            made[stem + self._random.choice(_ENDINGS)] = None
        return list(made)

    def _subject(self) -> list[str]:
        ranks = (int(100 * (VOCABULARY / 100) ** self._random.random()) for _ in range(WORDS_OF_A_SUBJECT))
        return [self._words[rank] for rank in ranks]


def _paragraphs(words: list[str], headings: list[str]) -> Iterator[str]:
    step = max(1, len(words) // len(headings))
    for place, heading in enumerate(headings):
        yield heading
        section = words[place * step : (place + 1) * step if place + 1 < len(headings) else None]
        for start in range(0, len(section), 60):
            yield " ".join(section[start : start + 60]).capitalize() + "."

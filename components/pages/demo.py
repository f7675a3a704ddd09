"""Demo mode, which `?demo=1` asks for: only the card and the run bar, in large type."""

from components.demo import demo
from components.shell import faults_in_words

with faults_in_words():
    demo()

"""Presidio's default recognisers, for a process of another environment: `python presidio_process.py`.

Each line read is a JSON list of texts; each line written is a JSON list of as many lists, the kinds of entities found
in each text. It imports nothing of Stoa, and Stoa nothing of it.
"""

import json
import sys
from typing import Any

import tldextract  # type: ignore[import-not-found, unused-ignore]
from presidio_analyzer import AnalyzerEngine, RecognizerRegistry  # type: ignore[import-not-found, unused-ignore]
from presidio_analyzer.nlp_engine import NlpArtifacts, NlpEngine  # type: ignore[import-not-found, unused-ignore]

LEAST_SCORE = 0.4


class Nothing(NlpEngine):  # type: ignore[misc, unused-ignore]
    """No language model: no words are told apart."""

    def load(self) -> None:
        """Nothing to load."""

    def is_loaded(self) -> bool:
        """Always."""
        return True

    def _nothing(self, text: str, language: str) -> Any:
        return NlpArtifacts([], [], [], [], self, language)

    def process_text(self, text: str, language: str) -> Any:
        """No words."""
        return self._nothing(text, language)

    def process_batch(self, texts: Any, language: str, **_: Any) -> Any:
        """No words, for each."""
        return ((text, self._nothing(text, language)) for text in texts)

    def is_stopword(self, word: str, language: str) -> bool:
        """Never."""
        return False

    def is_punct(self, word: str, language: str) -> bool:
        """Never."""
        return False

    def get_supported_entities(self) -> list[str]:
        """None."""
        return []

    def get_supported_languages(self) -> list[str]:
        """English, as its default recognisers."""
        return ["en"]


def main() -> None:
    """Answer line after line until there is no more."""
    # It would fetch the list of public suffixes from the net with the first address that it sees.
    tldextract.extract = tldextract.TLDExtract(suffix_list_urls=())
    registry = RecognizerRegistry()
    registry.load_predefined_recognizers(languages=["en"])
    registry.recognizers = [one for one in registry.recognizers if "Spacy" not in type(one).__name__]
    engine = AnalyzerEngine(registry=registry, nlp_engine=Nothing(), supported_languages=["en"])
    for line in sys.stdin:
        found = [
            sorted({one.entity_type for one in engine.analyze(text=text, language="en", score_threshold=LEAST_SCORE)})
            for text in json.loads(line)
        ]
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()

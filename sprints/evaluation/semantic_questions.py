"""Questions about a database with its own semantic model, read by the grammar or a language model."""

from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path

from sprints.asking.drafts import Draft
from sprints.linking.names import NameIndex
from sprints.semantics.compile import compile_query
from sprints.semantics.definition_check import find_definition_errors, list_probes
from sprints.semantics.describe import describe_query
from sprints.semantics.errors import SemanticError
from sprints.semantics.generation import generate_query
from sprints.semantics.model import SemanticModel, read_model
from sprints.semantics.query import MetricQuery
from sprints.semantics.questions.grammar import parse_question
from sprints.semantics.questions.lexicon import Lexicon, make_lexicon
from toolbox.model import Model, ModelFailure

MODEL_SECONDS = 60.0


@dataclass(frozen=True, kw_only=True)
class SemanticQuestions:
    """Answers questions in the terms of one semantic model."""

    semantics: SemanticModel
    today: date
    language_model: Model | None = None

    @classmethod
    def from_file(cls, path: Path, *, today: date, language_model: Model | None) -> "SemanticQuestions":
        """Read and check a semantics file. Raises ValueError with the problem."""
        semantics = read_model(path)
        if errors := find_definition_errors(semantics):
            raise ValueError(" ".join(errors))
        return cls(semantics=semantics, today=today, language_model=language_model)

    def list_statements(self) -> list[tuple[str, str]]:
        """List a statement of each term, with the term's name: PostgreSQL alone can tell whether its SQL is right."""
        return [(name, compile_query(query, model=self.semantics).sql) for name, query in list_probes(self.semantics)]

    @cached_property
    def _lexicon(self) -> Lexicon:
        return make_lexicon(self.semantics)

    async def ask(self, question: str) -> Draft:
        """Turn a question into SQL or a clarification."""
        try:
            query, clarification = await self._find_query(question)
            if query is None:
                return Draft(clarification=clarification)
            compiled = compile_query(query, model=self.semantics)
            text = describe_query(query, model=self.semantics).text
        except SemanticError as error:
            return Draft(clarification=f"{error.message} {error.suggestion}")
        except ModelFailure as failure:
            return Draft(clarification=f"The model failed: {failure}")
        return Draft(sql=compiled.sql, assumptions=(text, *compiled.notes))

    async def _find_query(self, question: str) -> tuple[MetricQuery | None, str]:
        if self.language_model is not None:
            generated = await generate_query(
                question,
                language_model=self.language_model,
                model=self.semantics,
                today=self.today,
                deadline_seconds=MODEL_SECONDS,
            )
            return generated.query, generated.clarification or "What is asked for?"
        parse = parse_question(question, index=NameIndex.from_names([]), today=self.today, lexicon=self._lexicon)
        return parse.query, parse.why or f"I do not know {', '.join(parse.unbound) or 'what is asked for'}."

"""Look for reports of `kb triage` that came, and tell of those with new groups: once for a report, whoever of the workers sees it first."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import anyio
from anyio import to_thread

from api.chat.compose import reply_language, triage_card
from api.hooks.channels import Channel, queue_card
from api.hooks.webhook import queue_event
from api.server.service import Service
from index.triage_reports import ReportError, TriageReport, TriageReports, UnknownGroup, began, redacted
from kb.errors import KbError
from kb.redact import redact
from kb.store import Store

log = logging.getLogger(__name__)

NEW_GROUPS = "triage.new_groups"
_SECONDS = 5.0
"""How often it is looked: a list of names, until there is another."""
_LATELY = timedelta(days=1)
"""Reports of runs that began earlier are no news. The queue remembers at least so long what it took, so none is told twice."""
_GROUPS, _HEADLINE = 5, 300


class TriageNews:
    """Tells of the reports of a home: the webhook, where there is one, and channels."""

    def __init__(
        self,
        service: Service,
        reports: TriageReports,
        public_url: str | None,
        *,
        has_webhook: bool = True,
        to: Sequence[Channel] = (),
    ) -> None:
        self._service, self._reports, self._public_url = service, reports, public_url
        self._has_webhook, self._to = has_webhook, to
        self._seen: set[str] = set()

    async def keep_looking(self) -> None:
        """Look until cancelled. Whatever fails is tried again: an error here would end all background work of the service."""
        while True:
            try:
                await to_thread.run_sync(self.look, self._service.store)
            except KbError as error:
                log.warning("news of triage wait: %s", error)
            except Exception:
                log.exception("news of triage wait")
            await anyio.sleep(_SECONDS)

    def look(self, store: Store) -> None:
        """Queue the news of each report that this process has not seen, that is no older than a day and has new groups."""
        now = datetime.now(UTC)
        recent = [run for run in self._reports.runs() if now - _LATELY < datetime.fromisoformat(began(run)) <= now]
        for run in reversed(recent):
            if run not in self._seen and (event := self._news(run)):
                self._queue(store, f"triage:{run}", event)
            self._seen.add(run)
        self._seen &= set(recent)

    def _queue(self, store: Store, name: str, event: Mapping[str, Any]) -> None:
        if self._has_webhook:
            queue_event(store, name, NEW_GROUPS, event, f"{NEW_GROUPS} {event['run']}: {event['new_groups']}")
        lang = reply_language("\n".join(group["headline"] for group in event["groups"]))
        queue_card(store, name, triage_card(event, lang, self._public_url), self._to)

    def _news(self, run: str) -> dict[str, Any] | None:
        """Return the event of a run; None where nothing is new, or where the report cannot be read."""
        try:
            if not self._reports.summary(run).new_groups:
                return None
            report = self._reports.report(run)
        except ReportError as error:
            log.warning("triage report %s is not told of: %s", run, error)
            return None
        announced = self._announced_before(report)
        fresh = [group for group in report.unknown if group.is_new and announced.isdisjoint(group.root_causes)]
        return self._event(report, fresh) if fresh else None

    def _announced_before(self, report: TriageReport) -> set[str]:
        """Return the new root causes of reports that this one replaced."""
        replaced = filter(None, map(self._reports.replaced, report.replaces))
        return {cause for one in replaced for group in one.unknown if group.is_new for cause in group.root_causes}

    def _event(self, report: TriageReport, fresh: list[UnknownGroup]) -> dict[str, Any]:
        return {
            "run": report.run,
            "at": began(report.run),
            "crashes": report.crashes,
            "unknown_groups": len(report.unknown),
            "new_groups": len(fresh),
            "new_crashes": sum(group.crashes for group in fresh),
            "groups": [_group(group) for group in fresh[:_GROUPS]],
            "url": f"{self._public_url}/triage/{report.run}?show=new" if self._public_url else None,
        }


def _group(group: UnknownGroup) -> dict[str, Any]:
    shown = redacted(replace(group, text=""))
    seen = {name: getattr(shown, name) for name in ("id", "crashes", "first", "last", "versions", "hosts")}
    return {**seen, "headline": redact(group.headline).text[:_HEADLINE]}

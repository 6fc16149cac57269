import type { Inference, Progress } from '../../../../core/inference.ts'
import type { RequestResult } from '../../../../core/requests/request-record.ts'
import { wholeText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { durationText } from '../../parts/duration-text.ts'

export interface TimelineEvent {
  readonly title: string
  readonly note: string
  /** Unix milliseconds; null when it has not happened. */
  readonly at: number | null
  readonly tone: 'reached' | 'failed' | 'ahead'
}

const ends = { succeeded: t`Stored`, failed: t`Failed`, cancelled: t`Cancelled` } as const

/** The events of a request, including future ones. */
export function timelineEvents(inference: Inference, now: number): readonly TimelineEvent[] {
  const { startedAt, completedAt, expiresAt, outcome } = inference
  const events: TimelineEvent[] = [
    { title: t`Queued`, note: queuedNote(inference), at: inference.createdAt, tone: 'reached' },
    {
      title: inference.attempt > 1 ? t`Started, attempt ${inference.attempt}` : t`Started`,
      note: startedNote(inference),
      at: startedAt,
      tone: startedAt === null ? 'ahead' : 'reached',
    },
    {
      title: outcome ? ends[outcome] : t`Stored`,
      note:
        outcome === 'succeeded' && startedAt !== null && completedAt !== null ? t`Ran for ${durationText(completedAt - startedAt)}.` : '',
      at: completedAt,
      tone: outcome === null ? 'ahead' : outcome === 'succeeded' ? 'reached' : 'failed',
    },
  ]
  if (outcome === 'succeeded' && expiresAt !== null) {
    const over = expiresAt <= now
    events.push({
      title: over ? t`Output deleted` : t`Output will be deleted`,
      note: over ? t`The record is kept for another week.` : t`In ${durationText(expiresAt - now)}. Saved images stay.`,
      at: expiresAt,
      tone: over ? 'reached' : 'ahead',
    })
  }
  return events.filter(({ at, tone }) => !(at === null && tone === 'ahead' && outcome !== null))
}

const waitedEnds = { succeeded: t`Answered`, failed: t`Failed`, cancelled: t`Client disconnected`, refused: t`Rate-limited` } as const

/**
 * The events of a synchronous request.
 *
 * @param at Its start, in Unix milliseconds.
 */
export function waitedEvents(
  at: number,
  { outcome, durationMs, firstTokenMs }: Pick<RequestResult, 'outcome' | 'durationMs' | 'firstTokenMs'>,
): readonly TimelineEvent[] {
  const note = outcome === 'cancelled' ? t`The client disconnected before the answer was complete.` : ''
  return [
    { title: t`Received`, note: '', at, tone: 'reached' },
    ...(firstTokenMs === null ? [] : [{ title: t`Answer began`, note: '', at: at + firstTokenMs, tone: 'reached' } as const]),
    { title: waitedEnds[outcome], note, at: at + durationMs, tone: outcome === 'succeeded' ? 'reached' : 'failed' },
  ]
}

function queuedNote({ queuePosition, status }: Inference): string {
  return status === 'pending' && queuePosition !== null ? t`Number ${queuePosition} in the queue.` : t`Saved to disk.`
}

function startedNote({ startedAt, createdAt, progress, status }: Inference): string {
  if (startedAt === null) return ''
  const waited = t`Waited ${durationText(Math.max(0, startedAt - createdAt))}.`
  return status === 'running' && progress ? `${waited} ${progressText(progress)}.` : waited
}

/** How far a drawing is: `Step 9 of 1,200`. */
export function progressText({ step, total }: Progress): string {
  return t`Step ${wholeText(step)} of ${wholeText(total)}`
}

/** Time of an event after the first one: `+12.3 s`; empty for the first and for future ones. */
export function offsetText({ at, tone }: TimelineEvent, begun: number): string {
  return at === null || tone === 'ahead' || at <= begun ? '' : `+${durationText(at - begun)}`
}

import type { Inference } from '../../../../core/inference.ts'
import type { RequestResult } from '../../../../core/requests/request-record.ts'
import { durationText } from '../../parts/duration-text.ts'

export interface TimelineEvent {
  readonly title: string
  readonly note: string
  /** Unix milliseconds; null when it has not happened. */
  readonly at: number | null
  readonly tone: 'reached' | 'failed' | 'ahead'
}

const ends = { succeeded: 'Stored', failed: 'Failed', cancelled: 'Cancelled' } as const

/** The life of a request as a list of events, what lies ahead included. */
export function timelineEvents(inference: Inference, now: number): readonly TimelineEvent[] {
  const { startedAt, completedAt, expiresAt, outcome } = inference
  const events: TimelineEvent[] = [
    { title: 'Queued', note: queuedNote(inference), at: inference.createdAt, tone: 'reached' },
    {
      title: inference.attempt > 1 ? `Started, attempt ${inference.attempt}` : 'Started',
      note: startedNote(inference),
      at: startedAt,
      tone: startedAt === null ? 'ahead' : 'reached',
    },
    {
      title: outcome ? ends[outcome] : 'Stored',
      note:
        outcome === 'succeeded' && startedAt !== null && completedAt !== null ? `${durationText(completedAt - startedAt)} of work.` : '',
      at: completedAt,
      tone: outcome === null ? 'ahead' : outcome === 'succeeded' ? 'reached' : 'failed',
    },
  ]
  if (outcome === 'succeeded' && expiresAt !== null) {
    const over = expiresAt <= now
    events.push({
      title: over ? 'Output deleted' : 'Output will be deleted',
      note: over ? 'The record stays a week longer.' : `In ${durationText(expiresAt - now)}.`,
      at: expiresAt,
      tone: over ? 'reached' : 'ahead',
    })
  }
  return events.filter((event) => !(event.title === 'Started' && event.at === null && outcome !== null))
}

const waitedEnds = { succeeded: 'Answered', failed: 'Failed', cancelled: 'Left' } as const

/** The life of a request whose caller waited. @param at When it was asked, in Unix milliseconds. */
export function waitedEvents(at: number, { outcome, durationMs }: RequestResult): readonly TimelineEvent[] {
  const note = outcome === 'cancelled' ? 'Its client left before the answer was complete.' : ''
  return [
    { title: 'Asked', note: '', at, tone: 'reached' },
    { title: waitedEnds[outcome], note, at: at + durationMs, tone: outcome === 'succeeded' ? 'reached' : 'failed' },
  ]
}

function queuedNote({ queuePosition, status }: Inference): string {
  return status === 'pending' && queuePosition !== null ? `Number ${queuePosition} in the queue.` : 'On stable storage from here on.'
}

function startedNote({ startedAt, createdAt, progress, status }: Inference): string {
  if (startedAt === null) return ''
  const waited = `Waited ${durationText(Math.max(0, startedAt - createdAt))}.`
  return status === 'running' && progress ? `${waited} Step ${progress.step} of ${progress.total}.` : waited
}

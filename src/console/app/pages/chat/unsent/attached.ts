import { signal } from '@preact/signals'
import { forgetRecord, keepRecord, readRecords } from '../../../browser/kept-records.ts'
import { ownPrefix } from '../../../state/session.ts'
import { type Attachments, noAttachments } from '../attach/attachments.ts'

/** Attachments of unsent messages, by place. */
const attached = signal<ReadonlyMap<string, Attachments>>(new Map())

/** Restores attachments from before a reload. */
void readRecords<Attachments>(ownPrefix('attached')).then((earlier) => {
  attached.value = new Map([...earlier, ...attached.peek()])
})

/** The attachments of a place. */
export function attachedTo(place: string): Attachments {
  return attached.value.get(place) ?? noAttachments
}

/** Stores the attachments of a place, even when the page is closed. */
export function keepAttached(place: string, now: Attachments): void {
  attached.value = new Map([...attached.peek(), [place, now]])
  void (now.files.length + now.pictures.length > 0
    ? keepRecord(ownPrefix('attached') + place, now)
    : forgetRecord(ownPrefix('attached') + place))
}

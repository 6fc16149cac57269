import { signal } from '@preact/signals'
import { forgetRecord, keepRecord, readRecords } from '../../../browser/kept-records.ts'
import { session } from '../../../state/session.ts'
import { type Attachments, noAttachments } from '../attach/attachments.ts'

/** Attachments of unsent messages, by place. */
const attached = signal<ReadonlyMap<string, Attachments>>(new Map())

/** Restores attachments from before a reload. */
void readRecords<Attachments>(prefix()).then((earlier) => {
  attached.value = new Map([...earlier, ...attached.peek()])
})

/** The attachments of a place. */
export function attachedTo(place: string): Attachments {
  return attached.value.get(place) ?? noAttachments
}

/** Stores the attachments of a place, even when the page is closed. */
export function keepAttached(place: string, now: Attachments): void {
  attached.value = new Map([...attached.peek(), [place, now]])
  void (now.files.length + now.pictures.length > 0 ? keepRecord(prefix() + place, now) : forgetRecord(prefix() + place))
}

function prefix(): string {
  const current = session.peek()
  return `attached/${current.state === 'signed-in' ? current.account.id : ''}/`
}

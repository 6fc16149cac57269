import { signal } from '@preact/signals'
import { forgetRecord, keepRecord, readRecords } from '../../../browser/kept-records.ts'
import { session } from '../../../state/session.ts'
import { type Attachments, noAttachments } from '../attach/attachments.ts'

/** What goes along with messages that are not sent yet, by where those stand. */
const attached = signal<ReadonlyMap<string, Attachments>>(new Map())

/** What was attached before the page was loaded again. */
void readRecords<Attachments>(prefix()).then((earlier) => {
  attached.value = new Map([...earlier, ...attached.peek()])
})

/** What is attached there. */
export function attachedTo(place: string): Attachments {
  return attached.value.get(place) ?? noAttachments
}

/** Keeps what is attached now, also when the page is left. */
export function keepAttached(place: string, now: Attachments): void {
  attached.value = new Map([...attached.peek(), [place, now]])
  void (now.files.length + now.pictures.length > 0 ? keepRecord(prefix() + place, now) : forgetRecord(prefix() + place))
}

function prefix(): string {
  const current = session.peek()
  return `attached/${current.state === 'signed-in' ? current.account.id : ''}/`
}

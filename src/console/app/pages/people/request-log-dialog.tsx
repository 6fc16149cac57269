import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { Account } from '../../../../core/account.ts'
import type { RequestLogState, RequestLogWish } from '../../../contract/request-logs.ts'
import { request } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { byteText } from '../../parts/byte-text.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { DialogChoice } from '../../parts/dialog-form.tsx'
import { durationText } from '../../parts/duration-text.ts'
import { FailureNote } from '../../parts/failure-note.tsx'
import { bindValue } from '../../parts/fields/bind.ts'
import { NumberField } from '../../parts/fields/number-field.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useSubmit } from '../../parts/use-submit.ts'
import { useResource } from '../../state/resource.ts'

const usualHours = 24
const longestOffHours = 8760

interface RequestLogDialogProps {
  readonly account: Account
  readonly onClose: () => void
}

/** Switches an account's request log, and deletes its content. */
export function RequestLogDialog({ account, onClose }: RequestLogDialogProps): VNode {
  const path = `/console/api/accounts/${account.id}/request-log`
  const { resource, reload } = useResource((signal) => request<RequestLogState>(path, { signal }), [path])
  return (
    <Dialog title={t`Request log of ${account.name}`} onClose={onClose}>
      <Loaded resource={resource} retry={reload}>
        {(log) => (
          <div class="stack">
            <p class="soft">
              {t`Stores the requests and answers of ${account.name}, encrypted, so that owners can read them under Requests. A note on every page informs those affected, and the audit log records each switch and each view.`}
            </p>
            {log.on === null ? (
              <SwitchOn path={path} log={log} reload={reload} onClose={onClose} />
            ) : (
              <SwitchOff path={path} on={log.on} reload={reload} />
            )}
            <Held path={path} log={log} reload={reload} />
          </div>
        )}
      </Loaded>
    </Dialog>
  )
}

interface PartProps {
  readonly path: string
  readonly reload: () => Promise<void>
}

function SwitchOn({ path, log, reload, onClose }: PartProps & { readonly log: RequestLogState; readonly onClose: () => void }): VNode {
  const keepHours = useSignal(Math.min(usualHours, log.mostKeepHours))
  const offAfterHours = useSignal(Number.NaN)
  const keepFault = isHours(keepHours.value, log.mostKeepHours) ? null : t`A whole number of hours from 1 to ${log.mostKeepHours}.`
  const offFault =
    Number.isNaN(offAfterHours.value) || isHours(offAfterHours.value, longestOffHours)
      ? null
      : t`A whole number of hours from 1 to ${longestOffHours}.`
  const { busy, failure, submit } = useSubmit(async () => {
    if (keepFault !== null || offFault !== null) return
    const off = Number.isNaN(offAfterHours.value) ? {} : { offAfterHours: offAfterHours.value }
    await request<RequestLogState>(path, { method: 'PUT', body: { keepHours: keepHours.value, ...off } satisfies RequestLogWish })
    await reload()
  })
  return (
    <form class="stack" onSubmit={submit}>
      {failure.value ? <FailureNote failure={failure.value} /> : null}
      <div class="field-pairs">
        <NumberField label={t`Keep each for (hours)`} {...bindValue(keepHours)} fault={keepFault} hint={t`At most ${log.mostKeepHours}`} />
        <NumberField
          label={t`Turn off after (hours)`}
          {...bindValue(offAfterHours)}
          fault={offFault}
          hint={t`If empty, until someone turns it off`}
        />
      </div>
      <DialogChoice busy={busy.value} onClose={onClose}>
        {t`Log from now on`}
      </DialogChoice>
    </form>
  )
}

function SwitchOff({ path, on, reload }: PartProps & { readonly on: NonNullable<RequestLogState['on']> }): VNode {
  const { busy, failure, submit } = useSubmit(async () => {
    await request<RequestLogState>(path, { method: 'DELETE' })
    await reload()
  })
  return (
    <form class="stack" onSubmit={submit}>
      {failure.value ? <FailureNote failure={failure.value} /> : null}
      <p>
        {t.rich`Turned on ${<Moment at={on.since} />}; each is kept for ${durationText(on.keepMs)}.`}{' '}
        {on.until === null ? null : t.rich`It turns off ${<Moment at={on.until} />}.`}
      </p>
      <div>
        <Button tone="primary" busy={busy.value}>
          {t`Turn off`}
        </Button>
      </div>
    </form>
  )
}

/** The size of the log, and a button to delete it with a second one to confirm. */
function Held({ path, log, reload }: PartProps & { readonly log: RequestLogState }): VNode | null {
  const sure = useSignal(false)
  const { busy, failure, submit } = useSubmit(async () => {
    await request<RequestLogState>(`${path}/bodies`, { method: 'DELETE' })
    sure.value = false
    await reload()
  })
  if (log.bodies === 0) return null
  return (
    <form class="stack" onSubmit={submit}>
      {failure.value ? <FailureNote failure={failure.value} /> : null}
      <p class="soft">
        {t.count(log.bodies, { one: 'The log holds # request or answer.', other: 'The log holds # requests and answers.' })}{' '}
        {t`They use ${byteText(log.bytes)} of ${byteText(log.mostBytes)} and are deleted when they expire.`}
      </p>
      <div class="row">
        {sure.value ? (
          <>
            <Button tone="danger" busy={busy.value}>
              {t`Delete all`}
            </Button>
            <Button tone="quiet" onClick={() => (sure.value = false)}>
              {t`Cancel`}
            </Button>
          </>
        ) : (
          <Button tone="quiet" onClick={() => (sure.value = true)}>
            {t`Delete stored requests and answers…`}
          </Button>
        )}
      </div>
    </form>
  )
}

function isHours(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= most
}

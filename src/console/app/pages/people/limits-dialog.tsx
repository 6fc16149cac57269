import { type Signal, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { type Account, type AccountLimits, limitRanges } from '../../../../core/account.ts'
import type { AccountUpdate } from '../../../contract/people.ts'
import { send } from '../../interface/request.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { DialogChoice } from '../../parts/dialog-choice.tsx'
import { FailureNote } from '../../parts/failure-note.tsx'
import { Field } from '../../parts/fields/field.tsx'
import { numberFault, readNumber } from '../../parts/fields/read-number.ts'
import { useSubmit } from '../../parts/use-submit.ts'

const limitNames = ['requestsPerMinute', 'tokensPerDay', 'imagesPerDay', 'tokensPerMonth', 'imagesPerMonth'] as const

interface LimitsDialogProps {
  readonly account: Account
  readonly onClose: () => void
}

/** Sets how much one account may use. */
export function LimitsDialog({ account: { id, name, limits }, onClose }: LimitsDialogProps): VNode {
  const requests = useSignal(limits.requestsPerMinute?.toLocaleString('en') ?? '')
  const tokens = useSignal(limits.tokensPerDay?.toLocaleString('en') ?? '')
  const images = useSignal(limits.imagesPerDay?.toLocaleString('en') ?? '')
  const monthlyTokens = useSignal(limits.tokensPerMonth?.toLocaleString('en') ?? '')
  const monthlyImages = useSignal(limits.imagesPerMonth?.toLocaleString('en') ?? '')
  const { busy, failure, submit } = useSubmit(async () => {
    const texts = {
      requestsPerMinute: requests.value,
      tokensPerDay: tokens.value,
      imagesPerDay: images.value,
      tokensPerMonth: monthlyTokens.value,
      imagesPerMonth: monthlyImages.value,
    }
    if (limitNames.some((name) => faultOf(name, texts[name]) !== null)) return
    const changed: AccountLimits = {
      requestsPerMinute: limitOf(texts.requestsPerMinute),
      tokensPerDay: limitOf(texts.tokensPerDay),
      imagesPerDay: limitOf(texts.imagesPerDay),
      tokensPerMonth: limitOf(texts.tokensPerMonth),
      imagesPerMonth: limitOf(texts.imagesPerMonth),
    }
    await send(`/console/api/accounts/${id}`, { method: 'PATCH', body: { limits: changed } satisfies AccountUpdate })
    onClose()
  })
  return (
    <Dialog title={`Limits of ${name}`} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {failure.value ? <FailureNote failure={failure.value} /> : null}
        <LimitField label="Requests a minute" limit="requestsPerMinute" value={requests} empty="as the service allows everybody" />
        <LimitField label="Tokens a day" limit="tokensPerDay" value={tokens} empty="no limit" />
        <LimitField label="Images a day" limit="imagesPerDay" value={images} empty="no limit" />
        <LimitField label="Tokens a month" limit="tokensPerMonth" value={monthlyTokens} empty="no limit" />
        <LimitField label="Images a month" limit="imagesPerMonth" value={monthlyImages} empty="no limit" />
        <p class="soft">Days and months are those of UTC. A change works within five seconds; what was accepted before is finished.</p>
        <DialogChoice disabled={busy.value} onClose={onClose}>
          Save the limits
        </DialogChoice>
      </form>
    </Dialog>
  )
}

interface LimitFieldProps {
  readonly label: string
  readonly limit: keyof AccountLimits
  readonly value: Signal<string>
  /** What leaving the field empty means. */
  readonly empty: string
}

function LimitField({ label, limit, value, empty }: LimitFieldProps): VNode {
  return (
    <Field label={label} hint={`Empty: ${empty}.`} fault={faultOf(limit, value.value)}>
      {(ids) => (
        <input
          {...ids}
          class="input numbers"
          inputMode="numeric"
          maxLength={20}
          value={value.value}
          onInput={(event) => {
            value.value = event.currentTarget.value
          }}
        />
      )}
    </Field>
  )
}

/** Empty = no limit of its own. */
function limitOf(text: string): number | null {
  return text.trim() === '' ? null : readNumber(text)
}

function faultOf(name: keyof AccountLimits, text: string): string | null {
  const limit = limitOf(text)
  return limit === null ? null : numberFault(limit, { ...limitRanges[name], whole: true })
}

import { type Signal, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { expectedLimit, formatLimit, limitNames, limitWords, parseLimit } from '../../../../core/limits/limit-words.ts'
import type { UseLimits } from '../../../../core/limits/use-limits.ts'
import { Dialog } from '../dialog.tsx'
import { DialogChoice } from '../dialog-choice.tsx'
import { FailureNote } from '../failure-note.tsx'
import { Field } from '../fields/field.tsx'
import { useSubmit } from '../use-submit.ts'

interface LimitsDialogProps {
  readonly title: string
  readonly limits: UseLimits
  /** What holds where the requests a minute are left empty. */
  readonly emptyRequests: string
  /** Keeps what was set; what is not limited is null. */
  readonly save: (limits: UseLimits) => Promise<void>
  readonly onClose: () => void
}

/** Sets how much an account or a token may use. */
export function LimitsDialog({ title, limits, emptyRequests, save, onClose }: LimitsDialogProps): VNode {
  const texts = useSignal<Readonly<Record<keyof UseLimits, string>>>(writeLimits(limits))
  const { busy, failure, submit } = useSubmit(async () => {
    if (limitNames.some((name) => faultOf(name, texts.value[name]) !== null)) return
    await save(readLimits(texts.value))
    onClose()
  })
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {failure.value ? <FailureNote failure={failure.value} /> : null}
        <div class="field-pairs">
          {limitNames.map((name) => (
            <LimitField key={name} name={name} texts={texts} />
          ))}
        </div>
        <p class="soft">
          An empty field is no limit; without requests a minute, {emptyRequests}. Minutes, days and months are those of UTC; money is
          counted by the prices of the models. A change works within five seconds; what was accepted before is finished.
        </p>
        <DialogChoice disabled={busy.value} onClose={onClose}>
          Save the limits
        </DialogChoice>
      </form>
    </Dialog>
  )
}

interface LimitFieldProps {
  readonly name: keyof UseLimits
  readonly texts: Signal<Readonly<Record<keyof UseLimits, string>>>
}

function LimitField({ name, texts }: LimitFieldProps): VNode {
  return (
    <Field label={limitWords[name].label} fault={faultOf(name, texts.value[name])}>
      {(ids) => (
        <input
          {...ids}
          class="input numbers"
          inputMode="decimal"
          maxLength={20}
          value={texts.value[name]}
          onInput={(event) => {
            texts.value = { ...texts.value, [name]: event.currentTarget.value }
          }}
        />
      )}
    </Field>
  )
}

function writeLimits(limits: UseLimits): Readonly<Record<keyof UseLimits, string>> {
  const write = (name: keyof UseLimits) => {
    const value = limits[name]
    if (value === null) return ''
    return limitWords[name].noun === 'money' ? formatLimit(name, value) : value.toLocaleString('en')
  }
  return mapLimits(write)
}

function readLimits(texts: Readonly<Record<keyof UseLimits, string>>): UseLimits {
  return mapLimits((name) => parseLimit(name, texts[name]))
}

/** Empty = no limit of its own. */
function faultOf(name: keyof UseLimits, text: string): string | null {
  if (text.trim() === '' || parseLimit(name, text) !== null) return null
  const expected = expectedLimit(name)
  return `${expected[0]?.toUpperCase()}${expected.slice(1)}.`
}

function mapLimits<Value>(make: (name: keyof UseLimits) => Value): Readonly<Record<keyof UseLimits, Value>> {
  return {
    requestsPerMinute: make('requestsPerMinute'),
    tokensPerMinute: make('tokensPerMinute'),
    imagesPerMinute: make('imagesPerMinute'),
    concurrentRequests: make('concurrentRequests'),
    tokensPerDay: make('tokensPerDay'),
    imagesPerDay: make('imagesPerDay'),
    moneyPerDay: make('moneyPerDay'),
    tokensPerMonth: make('tokensPerMonth'),
    imagesPerMonth: make('imagesPerMonth'),
    moneyPerMonth: make('moneyPerMonth'),
  }
}

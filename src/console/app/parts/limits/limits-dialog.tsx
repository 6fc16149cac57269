import { type Signal, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { type AccountLimits, limitRanges, limitWords, parseLimit, type UseLimits } from '../../../../core/limits/use-limits.ts'
import { moneyCurrency, moneyInBox, plainNumber, wholeText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { byteText } from '../byte-text.ts'
import { FormDialog } from '../dialog-form.tsx'
import { Field } from '../fields/field.tsx'
import { useSubmit } from '../use-submit.ts'
import { limitTexts } from './limit-texts.ts'

type LimitName = keyof AccountLimits
/** The texts of the fields. */
type Texts = Readonly<Partial<Record<LimitName, string>>>

interface LimitsDialogProps {
  readonly title: string
  /** The limits that can be set. */
  readonly names: readonly LimitName[]
  readonly limits: UseLimits & Partial<AccountLimits>
  /** The consequence of an empty field. */
  readonly empty: string
  /** Saves the changed limits, of which null ones are removed. Others may be changed elsewhere while the dialog is open. */
  readonly save: (changes: Partial<AccountLimits>) => Promise<void>
  readonly onClose: () => void
}

const groups = [
  { title: t`Each minute`, of: ['requestsPerMinute', 'tokensPerMinute', 'imagesPerMinute'] },
  { title: t`Each day`, of: ['tokensPerDay', 'imagesPerDay', 'moneyPerDay'] },
  { title: t`Each month`, of: ['tokensPerMonth', 'imagesPerMonth', 'moneyPerMonth'] },
  { title: t`At any time`, of: ['concurrentRequests', 'pendingRequests', 'openStreams', 'storedBytes', 'weight'] },
] as const satisfies readonly { readonly title: string; readonly of: readonly LimitName[] }[]

/** Sets the limits of an account or a token. */
export function LimitsDialog({ title, names, limits, empty, save, onClose }: LimitsDialogProps): VNode {
  const texts = useSignal<Texts>(Object.fromEntries(names.map((name) => [name, writeLimit(name, limits[name] ?? null)])))
  const form = useSubmit(async () => {
    if (names.some((name) => faultOf(name, texts.value[name]) !== null)) return
    const given = names.map((name) => [name, parseLimit(name, plainNumber(texts.value[name] ?? ''))] as const)
    await save(Object.fromEntries(given.filter(([name, value]) => value !== (limits[name] ?? null))))
    onClose()
  })
  return (
    <FormDialog title={title} action={t`Save the limits`} form={form} onClose={onClose}>
      {groups.map(({ title, of }) => {
        const shown = of.filter((name) => names.includes(name))
        return shown.length === 0 ? null : (
          <fieldset key={title}>
            <legend class="hidden-text">{title}</legend>
            <div class="limit-fields">
              {shown.map((name) => (
                <LimitField key={name} name={name} texts={texts} />
              ))}
            </div>
          </fieldset>
        )
      })}
      <p class="soft">
        {empty}{' '}
        {t`Minutes, days and months are in UTC. A change takes effect within five seconds; requests accepted before it are finished.`}
      </p>
    </FormDialog>
  )
}

function LimitField({ name, texts }: { name: LimitName; texts: Signal<Texts> }): VNode {
  return (
    <Field label={limitTexts[name].label} hint={unitOf(name, texts.value[name])} fault={faultOf(name, texts.value[name])}>
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

/** The unit of a field whose label does not name it, and its range where it is narrow. */
function unitOf(name: LimitName, text = ''): string | undefined {
  if (isMoney(name)) return t`in ${moneyCurrency() ?? t`the currency of the models’ prices`}`
  if (name === 'weight') return t`from ${limitRanges.weight.least} to ${limitRanges.weight.most}`
  if (name !== 'storedBytes') return undefined
  const bytes = parseLimit(name, plainNumber(text))
  return bytes === null ? t`in bytes` : t`in bytes: ${byteText(bytes)}`
}

function writeLimit(name: LimitName, value: number | null): string {
  if (value === null) return ''
  return isMoney(name) ? moneyInBox(value) : wholeText(value)
}

/** Empty = no limit of its own. */
function faultOf(name: LimitName, text = ''): string | null {
  if (text.trim() === '' || parseLimit(name, plainNumber(text)) !== null) return null
  const { least, most } = limitRanges[name]
  return isMoney(name)
    ? t`An amount from ${moneyInBox(least)} to ${moneyInBox(most)} with at most six decimals.`
    : t`A whole number from ${wholeText(least)} to ${wholeText(most)}.`
}

function isMoney(name: LimitName): boolean {
  return limitWords[name].noun === 'money'
}

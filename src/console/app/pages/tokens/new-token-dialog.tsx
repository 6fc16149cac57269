import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { type Scope, scopes } from '../../../../core/access-token.ts'
import { dayMs } from '../../../../core/ports/clock.ts'
import { serviceNow } from '../../interface/service-clock.ts'
import { t } from '../../language/t.ts'
import { FormDialog } from '../../parts/dialog-form.tsx'
import { bind, bindValue } from '../../parts/fields/bind.ts'
import { Check } from '../../parts/fields/check.tsx'
import { SelectField } from '../../parts/fields/select-field.tsx'
import { TextField } from '../../parts/fields/text-field.tsx'
import { useSubmit } from '../../parts/use-submit.ts'
import { createToken } from './token-requests.ts'

const scopeHints = {
  text: t`Chat, completions and embeddings`,
  image: t`Draw images, at once or later`,
  read: t`Look up requests, fetch results, list models`,
} as const satisfies Record<Scope, string>
const lifetimes = [
  { value: '', label: t`Never` },
  { value: '7', label: t`7 days` },
  { value: '30', label: t`30 days` },
  { value: '90', label: t`90 days` },
  { value: '365', label: t`One year` },
] as const

/** Asks for a token's name, scopes and expiry. */
export function NewTokenDialog({ onClose, onCreated }: { onClose: () => void; onCreated: (text: string) => void }): VNode {
  const name = useSignal('')
  const chosen = useSignal<readonly Scope[]>(scopes)
  const days = useSignal('')
  const form = useSubmit(async () => {
    const end = days.value === '' ? {} : { expiresAt: serviceNow() + Number(days.value) * dayMs }
    onCreated(await createToken({ name: name.value, scopes: chosen.value, ...end }))
  })
  return (
    <FormDialog title={t`New access token`} action={t`Create token`} form={form} disabled={chosen.value.length === 0} onClose={onClose}>
      <TextField
        label={t`Name`}
        required
        maxLength={100}
        placeholder={t`Nightly report`}
        hint={t`So you know later which program uses it.`}
        {...bind(name)}
      />
      <fieldset class="stack tight">
        <legend class="field-label">{t`Scopes`}</legend>
        {scopes.map((scope) => (
          <Check
            key={scope}
            label={scope}
            hint={scopeHints[scope]}
            checked={chosen.value.includes(scope)}
            onChange={(checked) => {
              chosen.value = scopes.filter((other) => (other === scope ? checked : chosen.value.includes(other)))
            }}
          />
        ))}
      </fieldset>
      <SelectField label={t`Expires after`} options={lifetimes} {...bindValue(days)} />
    </FormDialog>
  )
}

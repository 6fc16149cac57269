import type { VNode } from 'preact'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { Field } from '../../../parts/fields/field.tsx'
import { seedFault } from '../../../parts/fields/seed-fault.ts'
import { changeImageSettings, imageSettings } from './image-settings.ts'

/** The number that fixes the noise; several images count up from it. */
export function SeedField(): VNode {
  return (
    <Field label={t`Seed`} hint={t`The same seed and settings draw the same picture.`} fault={seedFault(imageSettings.value.seed)}>
      {(ids) => (
        <div class="row nowrap">
          <input
            {...ids}
            class="input numbers"
            inputMode="numeric"
            placeholder={t`at random`}
            maxLength={16}
            value={imageSettings.value.seed}
            onInput={(event) => changeImageSettings({ seed: event.currentTarget.value })}
          />
          <Button
            icon="dice"
            iconOnly
            onClick={() => changeImageSettings({ seed: String(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) })}
          >{t`New random seed`}</Button>
          <Button tone="quiet" icon="close" iconOnly onClick={() => changeImageSettings({ seed: '' })}>{t`Clear seed`}</Button>
        </div>
      )}
    </Field>
  )
}

import type { VNode } from 'preact'
import { Field } from '../../parts/fields/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { changeImageSettings, imageSettings } from './image-settings.ts'

/** The number that fixes the noise; several images count up from it. */
export function SeedField(): VNode {
  return (
    <Field label="Seed" hint="The same seed and settings draw the same picture.">
      {(ids) => (
        <div class="row nowrap">
          <input
            {...ids}
            class="input numbers"
            inputMode="numeric"
            placeholder="at random"
            maxLength={10}
            value={imageSettings.value.seed}
            onInput={(event) => changeImageSettings({ seed: event.currentTarget.value.replace(/\D/g, '') })}
          />
          <button
            type="button"
            class="button icon-only"
            title="Roll a seed"
            onClick={() => changeImageSettings({ seed: String(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) })}
          >
            <Icon name="dice" />
            <span class="hidden-text">Roll a seed</span>
          </button>
          <button type="button" class="button quiet icon-only" title="Random again" onClick={() => changeImageSettings({ seed: '' })}>
            <Icon name="close" />
            <span class="hidden-text">Random again</span>
          </button>
        </div>
      )}
    </Field>
  )
}

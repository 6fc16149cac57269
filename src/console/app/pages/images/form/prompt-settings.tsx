import type { VNode } from 'preact'
import { t } from '../../../language/t.ts'
import { Fold } from '../../../parts/fields/fold.tsx'
import { TextArea } from '../../../parts/fields/text-area.tsx'
import type { ImageAbilities } from './image-abilities.ts'
import { usesNegativePrompt } from './image-request-body.ts'
import { changeImageSettings, imageSettings } from './image-settings.ts'
import { ImageSlider } from './image-slider.tsx'

/** Settings of the prompt. */
export function PromptSettings({ abilities }: { abilities: ImageAbilities }): VNode | null {
  const settings = imageSettings.value
  if (!abilities.secondPrompts && abilities.clipSkip === 0) return null
  const isSet = (abilities.secondPrompts && (settings.prompt2 || settings.negativePrompt2) !== '') || settings.clipSkip > 0
  return (
    <Fold title={t`Text encoders`} note={isSet ? t`set` : null}>
      {abilities.secondPrompts ? (
        <>
          <TextArea
            label={t`Second prompt`}
            rows={2}
            maxLength={10_000}
            value={settings.prompt2}
            hint={t`For the second text encoder; if empty, the prompt is used.`}
            onInput={(prompt2) => changeImageSettings({ prompt2 })}
          />
          {usesNegativePrompt(settings, abilities) ? (
            <TextArea
              label={t`Second negative prompt`}
              rows={2}
              maxLength={10_000}
              value={settings.negativePrompt2}
              hint={t`If empty, the negative prompt is used.`}
              onInput={(negativePrompt2) => changeImageSettings({ negativePrompt2 })}
            />
          ) : null}
        </>
      ) : null}
      {abilities.clipSkip > 0 ? (
        <ImageSlider name="clipSkip" label={t`Clip skip`} hint={t`final text-encoder layers to skip`} max={abilities.clipSkip} />
      ) : null}
    </Fold>
  )
}

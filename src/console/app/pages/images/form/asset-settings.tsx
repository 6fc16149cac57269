import type { VNode } from 'preact'
import { mostLoras } from '../../../../../core/images/lora.ts'
import type { ImageAsset } from '../../../../contract/image-assets.ts'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { Fold } from '../../../parts/fields/fold.tsx'
import { SelectField } from '../../../parts/fields/select-field.tsx'
import { Slider } from '../../../parts/fields/slider.tsx'
import { TextField } from '../../../parts/fields/text-field.tsx'
import { AddAsset } from './add-asset.tsx'
import type { ImageAbilities } from './image-abilities.ts'
import { loraRange } from './image-ranges.ts'
import { changeImageSettings, imageSettings } from './image-settings.ts'

/** Assets for the model: LoRAs, textual inversions, a VAE. */
export function AssetSettings({ abilities: { assets } }: { abilities: ImageAbilities }): VNode | null {
  const of = (kind: ImageAsset['kind']) => assets.filter((asset) => asset.kind === kind)
  const [loras, inversions, vaes] = [of('lora'), of('textual-inversion'), of('vae')]
  if (loras.length + inversions.length + vaes.length === 0) return null
  const { vae } = imageSettings.value
  const chosen = [
    ...imageSettings.value.loras.filter(({ name }) => loras.some((asset) => asset.name === name)),
    ...imageSettings.value.inversions.filter(({ name }) => inversions.some((asset) => asset.name === name)),
  ]
  return (
    <Fold title={t`LoRAs and other weights`} {...(chosen.length > 0 && { note: String(chosen.length) })}>
      {loras.length > 0 ? <Loras known={loras} /> : null}
      {inversions.length > 0 ? <Inversions known={inversions} /> : null}
      {vaes.length > 0 ? (
        <SelectField
          label="VAE"
          value={vaes.some(({ name }) => name === vae) ? vae : ''}
          options={[{ value: '', label: t`The model’s own` }, ...vaes.map(({ name, label }) => ({ value: name, label }))]}
          onChange={(next) => changeImageSettings({ vae: next })}
        />
      ) : null}
    </Fold>
  )
}

function Loras({ known }: { known: readonly ImageAsset[] }): VNode {
  const { loras } = imageSettings.value
  const chosen = known.flatMap((asset) => loras.filter(({ name }) => name === asset.name).map(({ weight }) => ({ asset, weight })))
  const change = (name: string, weight: number) =>
    changeImageSettings({ loras: loras.map((each) => (each.name === name ? { name, weight } : each)) })
  return (
    <>
      {chosen.map(({ asset: { name, label }, weight }) => (
        <div class="row nowrap chosen-asset" key={name}>
          <Slider label={label} value={weight} {...loraRange} standard={1} onChange={(next) => change(name, next)} />
          <Button
            tone="quiet"
            icon="close"
            iconOnly
            onClick={() => changeImageSettings({ loras: loras.filter((each) => each.name !== name) })}
          >
            {t`Remove ${label}`}
          </Button>
        </div>
      ))}
      {chosen.length < mostLoras ? (
        <AddAsset
          label={t`Add a LoRA`}
          known={known.filter(({ name }) => !loras.some((each) => each.name === name))}
          add={(name) => changeImageSettings({ loras: [...loras, { name, weight: 1 }] })}
        />
      ) : null}
    </>
  )
}

function Inversions({ known }: { known: readonly ImageAsset[] }): VNode {
  const { inversions } = imageSettings.value
  const chosen = known.flatMap((asset) => inversions.filter(({ name }) => name === asset.name).map(({ word }) => ({ asset, word })))
  return (
    <>
      {chosen.map(({ asset: { name, label }, word }) => (
        <div class="row nowrap chosen-asset" key={name}>
          <TextField
            label={t`Word for ${label}`}
            value={word}
            maxLength={100}
            placeholder={t`as it stands in the prompt`}
            onInput={(next) =>
              changeImageSettings({ inversions: inversions.map((each) => (each.name === name ? { name, word: next } : each)) })
            }
          />
          <Button
            tone="quiet"
            icon="close"
            iconOnly
            onClick={() => changeImageSettings({ inversions: inversions.filter((each) => each.name !== name) })}
          >
            {t`Remove ${label}`}
          </Button>
        </div>
      ))}
      <AddAsset
        label={t`Add a textual inversion`}
        known={known.filter(({ name }) => !inversions.some((each) => each.name === name))}
        add={(name, label) => changeImageSettings({ inversions: [...inversions, { name, word: label }] })}
      />
    </>
  )
}

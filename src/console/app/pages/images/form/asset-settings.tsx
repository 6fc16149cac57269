import type { VNode } from 'preact'
import type { ImageAsset } from '../../../../contract/image-assets.ts'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { AddAsset } from '../../../parts/fields/add-asset.tsx'
import { Fold } from '../../../parts/fields/fold.tsx'
import { LoraFields } from '../../../parts/fields/lora-fields.tsx'
import { SelectField } from '../../../parts/fields/select-field.tsx'
import { TextField } from '../../../parts/fields/text-field.tsx'
import type { ImageAbilities } from './image-abilities.ts'
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
    <Fold title={t`LoRAs and other weights`} note={chosen.length > 0 ? String(chosen.length) : null}>
      {loras.length > 0 ? (
        <LoraFields known={loras} loras={imageSettings.value.loras} onChange={(next) => changeImageSettings({ loras: next })} />
      ) : null}
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
            placeholder={t`as written in the prompt`}
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

import type { VNode } from 'preact'
import { type LoraUse, maxLoras } from '../../../../core/images/lora.ts'
import { t } from '../../language/t.ts'
import { Button } from '../button.tsx'
import { AddAsset, type NamedAsset } from './add-asset.tsx'
import { loraRange } from './lora-range.ts'
import { Slider } from './slider.tsx'

interface LoraFieldsProps {
  /** The LoRAs that fit the model. */
  readonly known: readonly NamedAsset[]
  /** May contain LoRAs of other models, which stay. */
  readonly loras: readonly LoraUse[]
  readonly onChange: (loras: readonly LoraUse[]) => void
}

/** The chosen LoRAs, each with its weight, and a list to add one. */
export function LoraFields({ known, loras, onChange }: LoraFieldsProps): VNode {
  const chosen = known.flatMap((asset) => loras.filter(({ name }) => name === asset.name).map(({ weight }) => ({ ...asset, weight })))
  return (
    <>
      {chosen.map(({ name, label, weight }) => (
        <div class="row nowrap chosen-asset" key={name}>
          <Slider
            label={label}
            value={weight}
            {...loraRange}
            standard={1}
            onChange={(next) => onChange(loras.map((each) => (each.name === name ? { name, weight: next } : each)))}
          />
          <Button tone="quiet" icon="close" iconOnly onClick={() => onChange(loras.filter((each) => each.name !== name))}>
            {t`Remove ${label}`}
          </Button>
        </div>
      ))}
      {chosen.length < maxLoras ? (
        <AddAsset
          label={t`Add a LoRA`}
          known={known.filter(({ name }) => !loras.some((each) => each.name === name))}
          add={(name) => onChange([...loras, { name, weight: 1 }])}
        />
      ) : null}
    </>
  )
}

import type { VNode } from 'preact'
import { maxControlnets } from '../../../../../core/images/controlnet.ts'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { AddAsset } from '../../../parts/fields/add-asset.tsx'
import { Check } from '../../../parts/fields/check.tsx'
import { Fold } from '../../../parts/fields/fold.tsx'
import { Slider } from '../../../parts/fields/slider.tsx'
import { PictureDrop } from '../start/picture-drop.tsx'
import { readPicture } from '../start/read-picture.ts'
import { addControlnet, type ChosenControlnet, changeControlnet, controlnets, removeControlnet } from './controlnets.ts'
import type { ImageAbilities } from './image-abilities.ts'
import { controlnetRanges } from './image-ranges.ts'

/** ControlNets, which make a drawing follow the edges, depth or pose of a picture. */
export function ControlnetSettings({ abilities }: { abilities: ImageAbilities }): VNode | null {
  const known = abilities.assets.filter(({ kind }) => kind === 'controlnet')
  if (known.length === 0) return null
  const chosen = controlnets.value.filter(({ name }) => known.some((asset) => asset.name === name))
  return (
    <Fold title="ControlNets" note={chosen.length > 0 ? String(chosen.length) : null}>
      {chosen.map((each) => (
        <Controlnet key={each.key} chosen={each} label={known.find(({ name }) => name === each.name)?.label ?? each.name} />
      ))}
      {chosen.length < maxControlnets ? <AddAsset label={t`Add a ControlNet`} known={known} add={addControlnet} /> : null}
    </Fold>
  )
}

function Controlnet({ chosen: { key, url, scale, until, preprocess }, label }: { chosen: ChosenControlnet; label: string }): VNode {
  const show = async (file: File) => {
    const picture = await readPicture(file)
    changeControlnet(key, { url: picture.url })
  }
  return (
    <div class="stack tight controlnet">
      <div class="row between nowrap">
        <span class="field-label">{label}</span>
        <Button tone="quiet" size="small" icon="close" iconOnly onClick={() => removeControlnet(key)}>
          {t`Remove ${label}`}
        </Button>
      </div>
      {url === null ? null : <img class="controlnet-picture" src={url} alt={t`Input of ${label}`} />}
      <PictureDrop take={show}>{url === null ? t`Drop its image here, or choose a file` : t`Another image`}</PictureDrop>
      <Slider
        label={t`Strength`}
        value={scale}
        {...controlnetRanges.scale}
        standard={1}
        onChange={(next) => changeControlnet(key, { scale: next })}
      />
      <Slider
        label={t`Until`}
        hint={t`share of the steps`}
        value={until}
        {...controlnetRanges.until}
        standard={1}
        onChange={(next) => changeControlnet(key, { until: next })}
      />
      <Check
        label={t`Detect edges`}
        hint={t`for a canny ControlNet; others take the image as it is`}
        checked={preprocess}
        onChange={(next) => changeControlnet(key, { preprocess: next })}
      />
    </div>
  )
}

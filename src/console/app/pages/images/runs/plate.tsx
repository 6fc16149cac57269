import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { lacksPictures } from '../../../interface/submit-image.ts'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import type { IconName } from '../../../parts/icon.tsx'
import { Thumbnail } from '../../../parts/thumbnail.tsx'
import { keepPicture } from '../../gallery/gallery-requests.ts'
import { Viewer } from '../../gallery/viewer.tsx'
import { startFromImage } from '../start/starting-image.ts'
import { draw, type ImageRun } from './image-runs.ts'
import type { ShownImage } from './output-facts.ts'

const variationCount = 4
const maxSeeds = 2 ** 32

/** A finished picture and its actions. */
export function Plate({ run, image }: { run: ImageRun; image: ShownImage }): VNode {
  const open = useSignal(false)
  const { width, height, prompt } = run.body
  const vary = () => {
    const seeds = Array.from({ length: variationCount }, (_, index) => (image.seed + 1 + index) % maxSeeds)
    void draw({ ...run.body, num_images: variationCount, seed: seeds })
  }
  if (image.removedForSafety) return <div class="plate note warn">{t`This image was removed by the safety check.`}</div>
  return (
    <figure class="plate">
      <button type="button" class="plate-picture" style={{ aspectRatio: `${width} / ${height}` }} onClick={() => (open.value = true)}>
        <Thumbnail address={image.address} alt={prompt} width={width} height={height} across={run.images.length === 1 ? 512 : 300} />
        <span class="hidden-text">{t`Show larger`}</span>
      </button>
      <figcaption class="plate-foot">
        <span>{t`seed ${image.seed}`}</span>
        <span class="row">
          <Button tone="quiet" size="small" icon="download" iconOnly href={image.address} download>{t`Download`}</Button>
          <Action icon="star" label={t`Save`} run={() => keepPicture(image)} />
          <Action icon="spread" label={t`Variations`} run={vary} reason={repeatFault(run)} />
          <Action icon="brush" label={t`Use as starting image`} run={() => startFromImage(image.address)} />
        </span>
      </figcaption>
      {open.value ? <Viewer image={image} onClose={() => (open.value = false)} onKeep={() => keepPicture(image)} /> : null}
    </figure>
  )
}

/** Why a run's request cannot be sent again, if so. */
export function repeatFault({ body }: ImageRun): string | undefined {
  return lacksPictures(body) ? t`Its files aren’t stored, so you can’t run it again here.` : undefined
}

interface ActionProps {
  readonly icon: IconName
  readonly label: string
  readonly run: () => unknown
  /** Why it is disabled. */
  readonly reason?: string | undefined
}

function Action({ icon, label, run, reason }: ActionProps): VNode {
  return (
    <Button tone="quiet" size="small" icon={icon} iconOnly disabled={reason !== undefined} reason={reason} onClick={run}>
      {label}
    </Button>
  )
}

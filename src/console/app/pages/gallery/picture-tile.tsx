import type { VNode } from 'preact'
import type { GalleryPicture } from '../../../contract/gallery.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Thumbnail } from '../../parts/thumbnail.tsx'

interface PictureTileProps {
  readonly picture: GalleryPicture
  readonly chosen: boolean
  readonly onChoose: () => void
  readonly onOpen: () => void
  readonly onKeep: () => unknown
  readonly onRemove: () => unknown
}

/** One picture in the gallery. */
export function PictureTile({ picture, chosen, onChoose, onOpen, onKeep, onRemove }: PictureTileProps): VNode {
  const { address, prompt, seed, kept, expiresAt } = picture
  const name = prompt ?? t`seed ${seed}`
  return (
    <li class={chosen ? 'plate chosen' : 'plate'}>
      <button type="button" class="plate-picture" onClick={onOpen}>
        <Thumbnail address={address} alt={prompt ?? t`Drawn with seed ${seed}`} across={300} />
      </button>
      {prompt === null ? null : (
        <span class="tile-words" dir="auto" title={prompt}>
          {prompt}
        </span>
      )}
      <span class="tile-words faint">{expiresAt === null || kept !== null ? t`Saved` : t.rich`Expires ${<Moment at={expiresAt} />}`}</span>
      <span class="plate-foot">
        <label class="check">
          <input type="checkbox" checked={chosen} onChange={onChoose} />
          <span class="hidden-text">{t`Select ${name}`}</span>
        </label>
        <span class="row nowrap">
          {kept !== null || expiresAt === null ? null : (
            <Button tone="quiet" size="small" icon="star" iconOnly onClick={onKeep}>{t`Save`}</Button>
          )}
          <Button tone="quiet" size="small" icon="trash" iconOnly onClick={onRemove}>
            {expiresAt === null ? t`Delete` : t`Remove from the gallery`}
          </Button>
        </span>
      </span>
    </li>
  )
}

import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { maxReferences } from '../../../../../core/images/references.ts'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { PictureDrop } from './picture-drop.tsx'
import { type ReadPicture, readPicture } from './read-picture.ts'

/** Reference images, numbered as a prompt may refer to them. */
export function ReferencePicturesField(): VNode {
  const pictures = referencePictures.value
  return (
    <div class="stack tight">
      <span class="field-label">{t`Reference images`}</span>
      <span class="field-hint">{t`The model sees them; the prompt can call them image 1, image 2, …`}</span>
      {pictures.map((picture, i) => (
        <div class="row between nowrap" key={picture.url}>
          <img class="controlnet-picture" src={picture.url} alt={t`Reference ${i + 1}`} />
          <Button tone="quiet" size="small" icon="close" iconOnly onClick={() => removeReference(picture)}>
            {t`Remove reference ${i + 1}`}
          </Button>
        </div>
      ))}
      {pictures.length < maxReferences ? (
        <PictureDrop take={addReference}>{pictures.length === 0 ? t`Drop one here, or choose a file` : t`Another image`}</PictureDrop>
      ) : null}
    </div>
  )
}

/** Reference images of the next drawing; too large to be stored between visits. */
export const referencePictures = signal<readonly ReadPicture[]>([])

/**
 * Adds a picture file.
 *
 * @throws {Error} when the browser cannot read the file as a picture.
 */
async function addReference(file: Blob): Promise<void> {
  const read = await readPicture(file)
  referencePictures.value = [...referencePictures.value, read]
}

/** Removes one. */
function removeReference(picture: ReadPicture): void {
  referencePictures.value = referencePictures.value.filter((each) => each !== picture)
}

import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { mostReferences } from '../../../../../core/images/references.ts'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { DropZone } from '../../../parts/drop-zone.tsx'
import { showToast } from '../../../state/toasts.ts'
import { type ReadPicture, readPicture } from './read-picture.ts'

/** Pictures that the model sees beside its drawing, numbered as a prompt may call them. */
export function ReferencePicturesField(): VNode {
  const pictures = referencePictures.value
  const take = (file: File | undefined) => {
    if (file) addReference(file).catch(() => showToast(t`This file is no picture that the browser can read.`))
  }
  return (
    <div class="stack tight">
      <span class="field-label">{t`Reference pictures`}</span>
      <span class="field-hint">{t`The model sees them; the prompt can call them image 1, image 2, …`}</span>
      {pictures.map((picture, i) => (
        <div class="row between nowrap" key={picture.url}>
          <img class="controlnet-picture" src={picture.url} alt={t`Reference ${i + 1}`} />
          <Button tone="quiet" size="small" icon="close" iconOnly onClick={() => removeReference(picture)}>
            {t`Remove reference ${i + 1}`}
          </Button>
        </div>
      ))}
      {pictures.length < mostReferences ? (
        <DropZone accept="image/png,image/jpeg,image/webp" take={take}>
          {pictures.length === 0 ? t`Drop one here, or choose a file` : t`Another picture`}
        </DropZone>
      ) : null}
    </div>
  )
}

/** Pictures that the next drawing may refer to; they are too large to be kept between visits. */
export const referencePictures = signal<readonly ReadPicture[]>([])

/** Adds a picture file. @throws {Error} when it is no picture the browser can read. */
async function addReference(file: Blob): Promise<void> {
  const read = await readPicture(file)
  referencePictures.value = [...referencePictures.value, read]
}

/** Leaves one out of the next drawing. */
function removeReference(picture: ReadPicture): void {
  referencePictures.value = referencePictures.value.filter((each) => each !== picture)
}

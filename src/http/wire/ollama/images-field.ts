import Type, { type Static } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import type { PicturePart } from '../../../core/text-generation.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'
import { maxPictures, readPicture } from '../chat/fields/picture-address.ts'

/** Pictures of one message, in Ollama's format. */
export const imagesField = Type.Optional(
  Type.Array(Type.String({ minLength: 1 }), {
    maxItems: maxPictures,
    description:
      'Images in base64 (PNG, JPEG, WebP or GIF), for models that read images; with the setting `fetch-pictures`, also web addresses.',
  }),
)

type Images = Static<typeof imagesField>

/** Finds entries that are not pictures. */
export function findImageFaults(images: Images = [], path: FieldFault['path']): readonly FieldFault[] {
  return images.flatMap((image, index): readonly FieldFault[] => {
    if (readPicture(image) !== null) return []
    const place = [...path, index]
    return [fieldFault(place, 'must be a PNG, JPEG, WebP or GIF file in base64.', 'format')]
  })
}

/** Pictures that {@link findImageFaults} accepted. */
export function readImages(images: Images = []): readonly PicturePart[] {
  return images.map((image) => readPicture(image)).filter((part) => part !== null)
}

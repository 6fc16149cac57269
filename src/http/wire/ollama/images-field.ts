import Type, { type Static } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import { printPath } from '../../../core/schema/describe-schema.ts'
import type { PicturePart } from '../../../core/text-generation.ts'
import { mostPictures, toPlainBase64 } from '../chat/fields/picture-address.ts'

/** Pictures of one message, as Ollama's clients send them. */
export const imagesField = Type.Optional(
  Type.Array(Type.String({ minLength: 1 }), {
    maxItems: mostPictures,
    description: 'Pictures in base64 (PNG, JPEG, WebP or GIF), for models that see.',
  }),
)

type Images = Static<typeof imagesField>

/** The first characters of the base64 of each kind of file that models read. */
const kinds = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
  ['R0lGOD', 'image/gif'],
] as const
const base64 = /^[A-Za-z0-9+/]+={0,2}$/

function readImage(given: string): PicturePart | null {
  const text = given.replace(/^data:image\/[a-z]+;base64,/, '').replace(/[\r\n]/g, '')
  const [, mediaType] = kinds.find(([head]) => text.startsWith(head)) ?? []
  if (mediaType === undefined || !base64.test(text)) return null
  return { type: 'picture', mediaType, base64: toPlainBase64(text) }
}

/** Finds what is no picture. */
export function findImageFaults(images: Images = [], path: FieldFault['path']): readonly FieldFault[] {
  return images.flatMap((image, index): readonly FieldFault[] => {
    if (readImage(image) !== null) return []
    const place = [...path, index]
    return [{ path: place, message: `\`${printPath(place)}\` must be a PNG, JPEG, WebP or GIF file in base64.`, kind: 'format' }]
  })
}

/** Pictures in which {@link findImageFaults} found nothing wrong. */
export function readImages(images: Images = []): readonly PicturePart[] {
  return images.map(readImage).filter((part) => part !== null)
}

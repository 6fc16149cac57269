import Type, { type Static } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import { shortName } from '../../../core/requests/request-record.ts'
import type { SeenPart } from '../../../core/text-generation.ts'
import { closed } from '../../faults/object-schema.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'
import { ignoredFields, ignoredMarks } from '../ignored-fields.ts'
import { addressMeaning, detailField, findAddressFault, findTooManyPictures, readAddress } from './fields/picture-address.ts'

/** A part of a message's content. {@link findPartFaults} checks which fields its type has. */
export const contentPartSchema = closed({
  type: Type.Enum(['text', 'image_url', 'refusal', 'input_text', 'output_text'], {
    description: '`image_url` for models that read images; the others are texts.',
  }),
  text: Type.Optional(Type.String()),
  refusal: Type.Optional(Type.String({ description: 'The text of parts of the type refusal.' })),
  ...ignoredMarks,
  ...ignoredFields('annotations', 'citations', 'logprobs', 'id', 'index'),
  image_url: Type.Optional(
    Type.Union([closed({ url: Type.String({ description: addressMeaning }), detail: detailField }), Type.String()], {
      description: 'An object with the address in `url`, or the address alone.',
    }),
  ),
})

/** The fault of a part or an item that models here cannot read. @param instead What to send. */
export function unreadable(path: FieldFault['path'], type: string, instead = 'text'): FieldFault {
  return fieldFault(path, `is of the type ${shortName(type)}, which models here cannot read: send ${instead}.`, 'unsupported_parameter')
}

type ContentPart = Static<typeof contentPartSchema>

/**
 * Finds faults that the schema cannot express: fields of the other type, pictures in the wrong place, and addresses that are not data
 * addresses.
 */
export function findPartFaults(
  parts: readonly ContentPart[],
  { role, path }: { readonly role: string; readonly path: FieldFault['path'] },
): readonly FieldFault[] {
  const faults: FieldFault[] = []
  for (const [index, { type, image_url, refusal, text = refusal }] of parts.entries()) {
    const at = (field: string, message: string, kind = 'conflict') =>
      faults.push(fieldFault([...path, index, ...field.split('.')], message, kind))
    if (type !== 'image_url' && text === undefined) at('text', 'is required: add the text.', 'missing')
    if (type !== 'image_url' && image_url !== undefined) at('image_url', 'belongs to parts of the type image_url: remove it.')
    if (type === 'image_url' && role !== 'user') at('type', 'must be text: images belong to user messages.')
    if (type === 'image_url' && text !== undefined) at('text', 'belongs to parts of the type text: remove it.')
    if (type === 'image_url' && image_url === undefined) at('image_url', 'is required: add an object with `url`.', 'missing')
    if (image_url === undefined) continue
    const fault = findAddressFault(addressOf(image_url))
    if (fault !== null) at(typeof image_url === 'string' ? 'image_url' : 'image_url.url', fault)
  }
  return [...faults, ...findTooManyPictures(parts, 'image_url', path)]
}

/** The parts of a message; undefined when all of them are text. */
export function readParts(parts: readonly ContentPart[]): readonly SeenPart[] | undefined {
  if (parts.every(({ type }) => type !== 'image_url')) return undefined
  return parts.map(({ image_url, refusal = '', text = refusal }): SeenPart => {
    const detail = typeof image_url === 'object' ? image_url.detail : undefined
    return readAddress(image_url === undefined ? '' : addressOf(image_url), detail) ?? { type: 'text', text }
  })
}

function addressOf(image: NonNullable<ContentPart['image_url']>): string {
  return typeof image === 'string' ? image : image.url
}

/** Joins text parts with line breaks, as llama.cpp and vLLM do. */
export function joinTexts(parts: readonly ContentPart[]): string {
  return parts.flatMap(({ refusal, text = refusal }) => text ?? []).join('\n')
}

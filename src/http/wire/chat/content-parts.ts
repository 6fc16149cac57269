import Type, { type Static } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import type { SeenPart } from '../../../core/text-generation.ts'
import { idleFields, idleMarks } from '../idle-fields.ts'

/** A part of a message's content; which fields it has depends on its type, which {@link findPartFaults} checks. */
export const contentPartSchema = Type.Object(
  {
    type: Type.Enum(['text', 'image_url', 'refusal', 'input_text', 'output_text'], {
      description: '`image_url` for models that look at pictures; the others are texts.',
    }),
    text: Type.Optional(Type.String()),
    refusal: Type.Optional(Type.String({ description: 'The text of parts of the type refusal.' })),
    ...idleMarks,
    ...idleFields('annotations', 'citations', 'logprobs', 'id'),
    image_url: Type.Optional(
      Type.Object(
        {
          url: Type.String({ description: 'The picture itself: `data:image/png;base64,…`; PNG, JPEG, WebP or GIF.' }),
          detail: Type.Optional(Type.Enum(['auto', 'low', 'high'])),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)

type ContentPart = Static<typeof contentPartSchema>

const pictureAddress = /^data:(image\/(?:png|jpeg|webp|gif));base64,/
const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/
/** Pictures of one message; a request holds no more than its body. */
const mostPictures = 32

/** Finds what the schema cannot say: fields that belong to the other type, pictures where none may be, addresses that lead elsewhere. */
export function findPartFaults(
  parts: readonly ContentPart[],
  { role, path }: { readonly role: string; readonly path: FieldFault['path'] },
): readonly FieldFault[] {
  const faults: FieldFault[] = []
  const prefix = `messages[${path[1]}].content`
  for (const [index, { type, image_url, refusal, text = refusal }] of parts.entries()) {
    const at = (field: string, message: string, kind = 'conflict') =>
      faults.push({ path: [...path, index, ...field.split('.')], message: `\`${prefix}[${index}].${field}\` ${message}`, kind })
    if (type !== 'image_url' && text === undefined) at('text', 'is required: add the text.', 'missing')
    if (type !== 'image_url' && image_url !== undefined) at('image_url', 'belongs to parts of the type image_url: remove it.')
    if (type === 'image_url' && role !== 'user') at('type', 'must be text: pictures belong to user messages.')
    if (type === 'image_url' && text !== undefined) at('text', 'belongs to parts of the type text: remove it.')
    if (type === 'image_url' && image_url === undefined) at('image_url', 'is required: add an object with `url`.', 'missing')
    const url = image_url?.url
    if (url === undefined) continue
    const head = pictureAddress.exec(url)?.[0]
    if (head === undefined)
      at('image_url.url', 'must hold the picture itself, as data:image/png;base64,… (or jpeg, webp, gif): other addresses are not fetched.')
    else if (!base64.test(url.slice(head.length))) at('image_url.url', 'must be base64 behind the comma.')
  }
  if (parts.filter(({ type }) => type === 'image_url').length > mostPictures)
    faults.push({ path, message: `\`${prefix}\` has more than ${mostPictures} pictures: send fewer.`, kind: 'range' })
  return faults
}

/** The parts of a message in the domain's words; undefined where all of them are text. */
export function readParts(parts: readonly ContentPart[]): readonly SeenPart[] | undefined {
  if (parts.every(({ type }) => type !== 'image_url')) return undefined
  return parts.map(({ image_url, refusal = '', text = refusal }): SeenPart => {
    const [head, mediaType] = pictureAddress.exec(image_url?.url ?? '') ?? []
    if (image_url === undefined || head === undefined || mediaType === undefined) return { type: 'text', text }
    const { url, detail } = image_url
    return { type: 'picture', mediaType, base64: toPlainBase64(url.slice(head.length)), ...(detail && { detail }) }
  })
}

/** Base64 in its usual letters and padded, of text in those of addresses. */
export function toPlainBase64(text: string): string {
  const plain = text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
  return plain.padEnd(Math.ceil(plain.length / 4) * 4, '=')
}

/** Several text parts become lines, as llama.cpp and vLLM join them. */
export function joinTexts(parts: readonly ContentPart[]): string {
  return parts.flatMap(({ refusal, text = refusal }) => text ?? []).join('\n')
}

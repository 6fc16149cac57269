import { signal } from '@preact/signals'
import { type AttachedPicture, type AttachedText, maxFiles, maxPictures, type Turn } from '../../../../../core/chat/conversation.ts'
import { drawNoLarger } from '../../../interface/draw-no-larger.ts'
import { anyOfText } from '../../../language/formats.ts'
import { t } from '../../../language/t.ts'
import { chatModels } from '../../../state/models.ts'
import { chosenModels } from '../compare/compared-models.ts'
import { readTextFile } from './read-text-file.ts'

/** The attachments of a message. */
export interface Attachments {
  readonly files: readonly AttachedText[]
  readonly pictures: readonly AttachedPicture[]
}

export const noAttachments: Attachments = { files: [], pictures: [] }

/** Files that were read, and a message about each that cannot be attached. */
interface ReadFiles {
  readonly read: readonly (AttachedPicture | AttachedText)[]
  readonly faults: readonly string[]
}

/** Names of the files that are being read, which takes seconds for a long document, by call of {@link readFiles}. */
export const unreadFiles = signal<readonly (readonly string[])[]>([])

/** Reads files for a message to these models. */
export async function readFiles(files: readonly File[], models: readonly string[]): Promise<ReadFiles> {
  const names = files.map(({ name }) => name)
  unreadFiles.value = [...unreadFiles.value, names]
  return await readAll(files, models).finally(() => {
    unreadFiles.value = unreadFiles.value.filter((each) => each !== names)
  })
}

async function readAll(files: readonly File[], models: readonly string[]): Promise<ReadFiles> {
  const faults: string[] = []
  const read: (AttachedPicture | AttachedText)[] = []
  for (const file of files) {
    const isPicture = file.type.startsWith('image/')
    const blind = isPicture ? blindness(models) : null
    const one = blind !== null ? { fault: blind } : isPicture ? await readChatPicture(file) : await readTextFile(file)
    if ('fault' in one) faults.push(one.fault)
    else read.push(one)
  }
  return { read, faults: [...new Set(faults)] }
}

/** Adds files to a message's attachments as long as there is room, with a message about the rest. */
export function attach(before: Attachments, { read, faults: known }: ReadFiles): Attachments & Pick<ReadFiles, 'faults'> {
  const faults = [...known]
  let { files, pictures } = before
  for (const one of read)
    if ('url' in one) pictures = added(pictures, one, maxPictures, 'picture', faults)
    else files = added(files, one, maxFiles, 'text', faults)
  return { files, pictures, faults: [...new Set(faults)] }
}

function added<Kind extends AttachedPicture | AttachedText>(
  before: readonly Kind[],
  one: Kind,
  most: number,
  kind: 'picture' | 'text',
  faults: string[],
): readonly Kind[] {
  if (before.length < most) return [...before, one]
  faults.push(tooMany[kind]())
  return before
}

const tooMany = {
  picture: () => t`A message can have at most ${maxPictures} images; send the others in the next one.`,
  text: () => t`A message can have at most ${maxFiles} text files; send the others in the next one.`,
}

/** The message for too many attachments, or null. */
export function countFault({ files, pictures }: Attachments): string | null {
  return pictures.length > maxPictures ? tooMany.picture() : files.length > maxFiles ? tooMany.text() : null
}

/** Why the chosen models cannot read pictures, as a sentence that names one that can; null = all of them can. */
function blindness(models: readonly string[]): string | null {
  const known = chatModels()
  const blind = models.map((id) => known.find((model) => model.id === id)).find((model) => model !== undefined && !model.looks)
  if (blind === undefined) return null
  const seeing = known.filter(({ looks }) => looks).map(({ name }) => name)
  if (seeing.length === 0) return t`${blind.name} can’t see images, and no model here can.`
  return t`${blind.name} can’t see images; choose ${anyOfText(seeing.slice(0, 3))}.`
}

/** The same, for a conversation that already contains pictures. */
export function conversationBlindness(turns: readonly Turn[], attached: Attachments, chosen: string): string | null {
  const holds = attached.pictures.length > 0 || turns.some(({ pictures = [] }) => pictures.length > 0)
  return holds ? blindness(chosenModels(chosen)) : null
}

/** Models that read pictures reduce them to about this size. */
const longestSide = 1568
/** Larger PNG pictures are converted to JPEG. */
const maxPngBytes = 1_000_000

/**
 * Reads a picture, reduced to the size that models use and without its metadata.
 *
 * @returns The image, or a message when the browser cannot read the file.
 */
async function readChatPicture(file: File): Promise<AttachedPicture | { readonly fault: string }> {
  try {
    const canvas = await drawNoLarger(file, longestSide)
    const png = file.type === 'image/jpeg' ? null : canvas.toDataURL('image/png')
    const url = png !== null && png.length < (maxPngBytes * 4) / 3 ? png : canvas.toDataURL('image/jpeg', 0.9)
    return { name: file.name || 'image', url }
  } catch {
    return { fault: t`This browser can’t read ${file.name || t`The image`}; attach a PNG, JPEG, WebP or GIF.` }
  }
}

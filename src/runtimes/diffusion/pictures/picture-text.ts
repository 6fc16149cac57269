import { crc32 } from 'node:zlib'
import type { ImageRequest } from '../../../core/image-generation.ts'
import { loraTag } from '../../../core/images/lora.ts'
import type { StyledPrompts } from '../../../core/images/style-preset.ts'
import type { PixelSize } from './rgb-image.ts'

/** Formats the generation parameters in A1111's text format: the prompt, a line `Negative prompt: …`, and a line of `name: value` pairs. */
export function describeParameters(
  request: ImageRequest,
  { prompt, prompt2, negative }: StyledPrompts,
  { seed, model }: { readonly seed: number; readonly model: string },
): string {
  const { highResolution } = request
  const { width, height } = highResolution?.first ?? request
  const pairs: readonly (readonly [string, string | number | null])[] = [
    ['Steps', request.steps],
    ['Sampler', request.sampler],
    ['CFG scale', request.guidanceScale],
    ['CFG rescale', request.guidanceRescale || null],
    ['Seed', seed],
    ['Size', `${width}x${height}`],
    ['Model', model],
    ['Denoising strength', (highResolution ?? request.initial)?.strength ?? null],
    ['Hires upscale', highResolution === undefined ? null : request.width / width],
    ['Hires upscaler', highResolution === undefined ? null : (highResolution.upscaler ?? 'Latent')],
    ['Hires steps', highResolution?.steps ?? null],
    ['Mask blur', request.mask?.blur || null],
    ['Clip skip', request.clipSkip || null],
    ['Style preset', request.stylePreset],
    ['Refiner switch at', request.refinerStart],
    ['Prompt 2', prompt2 === prompt ? null : prompt2],
    ['Negative prompt 2', negative?.prompt2 === negative?.prompt ? null : (negative?.prompt2 ?? null)],
    ['Version', 'Sepia'],
  ]
  const line = pairs.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${quoted(value)}`])).join(', ')
  const positive = [prompt, ...request.loras.map(loraTag)].join(' ')
  return [positive, ...(negative === null ? [] : [`Negative prompt: ${negative.prompt}`]), line].join('\n')
}

/** Values with characters that separate pairs are quoted. */
function quoted(value: string | number): string {
  return typeof value === 'string' && /[,:\n"]/u.test(value) ? JSON.stringify(value) : String(value)
}

/** An APP1 segment holds at most 65 533 bytes; this much text fits beside the rest. */
const maxCharacters = 32_000

/**
 * An EXIF block (a big-endian TIFF) whose only content is the user comment, in UTF-16.
 *
 * @see Exif 2.32, sections 4.6.3 and 4.6.5
 */
function exifComment(text: string): Buffer {
  const short = text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text
  const comment = Buffer.concat([Buffer.from('UNICODE\0', 'latin1'), Buffer.from(short, 'utf16le').swap16()])
  const block = Buffer.alloc(44)
  block.write('MM\0*', 0, 'latin1')
  block.writeUInt32BE(8, 4)
  // The first directory only points to the EXIF directory, at 26.
  block.writeUInt16BE(1, 8)
  writeEntry(block, 10, { tag: 0x8769, type: 4, count: 1, value: 26 })
  block.writeUInt16BE(1, 26)
  writeEntry(block, 28, { tag: 0x9286, type: 7, count: comment.length, value: block.length })
  return Buffer.concat([block, comment])
}

interface Entry {
  readonly tag: number
  readonly type: number
  readonly count: number
  readonly value: number
}

function writeEntry(block: Buffer, at: number, { tag, type, count, value }: Entry): void {
  block.writeUInt16BE(tag, at)
  block.writeUInt16BE(type, at + 2)
  block.writeUInt32BE(count, at + 4)
  block.writeUInt32BE(value, at + 8)
}

/** Start-of-image marker. */
const startLength = 2

/** Adds a user comment to a JPEG file, as an EXIF segment right at its start. */
export function addJpegComment(jpeg: Uint8Array, text: string): Uint8Array {
  const exif = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exifComment(text)])
  const marker = Buffer.from([0xff, 0xe1, 0, 0])
  marker.writeUInt16BE(exif.length + 2, 2)
  return Buffer.concat([jpeg.subarray(0, startLength), marker, exif, jpeg.subarray(startLength)])
}

const riffHeaderLength = 12
const exifFlag = 0x08

/**
 * Adds a user comment to a simple WebP file (one lossy or lossless frame), which becomes an extended one.
 *
 * @see RFC 9649, section 2.7
 */
export function addWebpComment(webp: Uint8Array, { width, height }: PixelSize, text: string): Uint8Array {
  const extended = Buffer.alloc(10)
  extended[0] = exifFlag
  extended.writeUIntLE(width - 1, 4, 3)
  extended.writeUIntLE(height - 1, 7, 3)
  const body = Buffer.concat([chunk('VP8X', extended), webp.subarray(riffHeaderLength), chunk('EXIF', exifComment(text))])
  const header = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')
  header.writeUInt32LE(body.length + 4, 4)
  return Buffer.concat([header, body])
}

function chunk(name: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(content.length)
  // Chunks begin at even places.
  return Buffer.concat([Buffer.from(name, 'latin1'), length, content, Buffer.alloc(content.length % 2)])
}

/** Signature and header chunk, which always come first. */
const headerLength = 8 + 25

/**
 * Adds a text chunk to a PNG file: `tEXt` where Latin-1 is enough, else `iTXt`.
 *
 * @param keyword 1 to 79 Latin-1 characters.
 * @see PNG (Third Edition), sections 11.3.3.2 and 11.3.3.4
 */
export function addPngText(png: Uint8Array, keyword: string, text: string): Uint8Array {
  const latin = isLatin1(text)
  const body = latin
    ? Buffer.concat([Buffer.from(`${keyword}\0`, 'latin1'), Buffer.from(text, 'latin1')])
    : // No compression, no language, no translated keyword.
      Buffer.concat([Buffer.from(`${keyword}\0\0\0\0\0`, 'latin1'), Buffer.from(text, 'utf8')])
  const typed = Buffer.concat([Buffer.from(latin ? 'tEXt' : 'iTXt', 'latin1'), body])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(typed))
  return Buffer.concat([png.subarray(0, headerLength), length, typed, checksum, png.subarray(headerLength)])
}

function isLatin1(text: string): boolean {
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code > 0xff || code === 0) return false
  }
  return true
}

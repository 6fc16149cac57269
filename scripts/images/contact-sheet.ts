import { writeFile } from 'node:fs/promises'
import sharp from 'sharp'

/** Side of a picture on a sheet, and the gap between two. */
const side = 160
const gap = 4
const quality = 82

/** Puts pictures in rows on one JPEG. */
export async function writeContactSheet(file: URL, pictures: readonly Uint8Array[], columns: number): Promise<void> {
  const rows = Math.ceil(pictures.length / columns)
  const place = (index: number): number => gap + index * (side + gap)
  const tiles = await Promise.all(
    pictures.map(async (picture, i) => ({
      input: await sharp(picture).resize(side, side).png().toBuffer(),
      left: place(i % columns),
      top: place(Math.floor(i / columns)),
    })),
  )
  const sheet = sharp({ create: { width: place(columns), height: place(rows), channels: 3, background: '#ffffff' } })
  await writeFile(file, await sheet.composite(tiles).jpeg({ quality }).toBuffer())
}

import sharp from 'sharp'

/** The most that compression alone changes in a channel of a pixel, out of 255. */
const tolerance = 24

/** Whether two pictures of one size have no visible difference. */
export async function looksAlike(one: Buffer, other: Buffer): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((picture) => sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true })))
  if (a === undefined || b === undefined || a.info.width !== b.info.width || a.info.height !== b.info.height) return false
  return a.data.every((value, index) => Math.abs(value - (b.data[index] ?? 0)) <= tolerance)
}

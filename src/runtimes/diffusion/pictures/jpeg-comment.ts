import { exifComment } from './exif-comment.ts'

/** Start-of-image marker. */
const startLength = 2

/** Adds a user comment to a JPEG file, as an EXIF segment right at its start. */
export function addJpegComment(jpeg: Uint8Array, text: string): Uint8Array {
  const exif = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exifComment(text)])
  const marker = Buffer.from([0xff, 0xe1, 0, 0])
  marker.writeUInt16BE(exif.length + 2, 2)
  return Buffer.concat([jpeg.subarray(0, startLength), marker, exif, jpeg.subarray(startLength)])
}

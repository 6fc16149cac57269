/**
 * A PDF with a line of text on each page.
 *
 * @param options.locked Whether it needs a password.
 */
export function writePdf(lines: readonly string[], { locked = false } = {}): Buffer {
  const pages = lines.flatMap((line, index) => {
    const drawing = line === '' ? '' : `BT /F1 24 Tf 72 700 Td (${line}) Tj ET`
    return [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * index} 0 R >>`,
      `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
    ]
  })
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${lines.length} /Kids [${lines.map((_, index) => `${4 + 2 * index} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages,
  ]
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const key = '0123456789abcdef'.repeat(4)
  const lock = locked ? ` /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${key}> /U <${key}> >> /ID [<00> <00>]` : ''
  const list = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`
  return Buffer.from(
    `${text}${list}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R${lock} >>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  )
}

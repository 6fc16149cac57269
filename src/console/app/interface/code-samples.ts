/** A call as source code of one language or client. */
export interface Sample {
  readonly language: string
  readonly code: string
}

/** A POST with a JSON body as a curl command for a POSIX shell, with the token in the variable TOKEN. */
export function curlSample(url: string, body: unknown, headers: readonly string[] = []): string {
  const lines = [
    `curl ${url}`,
    `-H "Authorization: Bearer $TOKEN"`,
    `-H 'Content-Type: application/json'`,
    ...headers.map((header) => `-H '${header}'`),
    `-d '${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ').replaceAll("'", `'\\''`)}'`,
  ]
  return lines.join(' \\\n  ')
}

/** Plain data as Python source. */
export function pythonLiteral(value: unknown, indent = ''): string {
  const inner = `${indent}    `
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) {
    return value.length === 0 ? '[]' : `[\n${value.map((item) => `${inner}${pythonLiteral(item, inner)},\n`).join('')}${indent}]`
  }
  if (typeof value === 'object') {
    const entries = Object.entries(value).map(([key, item]) => `${inner}${JSON.stringify(key)}: ${pythonLiteral(item, inner)},\n`)
    return `{\n${entries.join('')}${indent}}`
  }
  return JSON.stringify(value)
}

/**
 * A POST with a JSON body as a Python program, with the token in the variable TOKEN.
 *
 * @param use Lines that use `response`.
 */
export function pythonSample(url: string, body: unknown, use: string, modules = 'os, requests'): string {
  return `# pip install requests
import ${modules}

response = requests.post(
    "${url}",
    headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},
    json=${pythonLiteral(body, '    ')},
)
${use}`
}

/** A body with the field names of the original service's SDK. */
export function camelCase(body: object): object {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()), value]),
  )
}

import type { DocumentedRoute } from '../../src/http/openapi/documented-route.ts'
import { documentedRoutes } from '../../src/http/openapi/documented-routes.ts'
import { type FieldRow, fieldRows, parameterRows } from '../../src/http/openapi/field-rows.ts'
import { describePurpose, describeScopes } from '../../src/http/openapi/route-words.ts'
import { publishedFieldsTable } from './published-fields-table.ts'

/** Path of the page that {@link apiPage} renders. */
export const apiPagePath = 'docs/api.md'

/** The page of all routes, from the schemas that check their requests. */
export function apiPage(): string {
  return `${introduction}\n${documentedRoutes({ widePenalties: false }).map(section).join('\n')}\n${publishedFieldsTable()}`
}

const introduction = `# The interface

<!-- Written by \`npm run docs\` from src/http/openapi; change it there. -->

The same as data: \`GET /openapi.json\`; as a page of the running service: \`GET /docs/api\`. Errors: [errors.md](errors.md).
What becomes of each field of published clients: [the table at the end](#what-published-clients-may-send).

- Every route but the health checks and the API document wants \`Authorization: Bearer <token>\`. Tokens have scopes (\`text\`, \`image\`, \`read\`). The pages of the
  console call the same routes with their session cookie instead. No answer carries CORS headers: pages of other origins cannot call the service.
- Bodies are \`application/json\`, uncompressed, and nest at most 100 levels deep. Half of a surrogate pair, as of an emoji cut in two, is no valid JSON here. A field that is \`null\` counts as left out; unknown fields and query parameters are
  refused, never ignored.
- Beyond the refusals named at each route, every one may answer 400, 405 and 500, and those that want a token 401 and 403.
- Every answer carries \`x-request-id\` and, with the same value, \`x-user-request-id\`; your own is kept if it matches \`^[\\w-]{1,128}$\`.
- Asynchronous mode is asked for by \`X-Service-Async: 1\`, by a header of the setting \`async-headers\`, or by \`Prefer: respond-async\`. Such a body may
  hold 10 485 760 bytes. The answer is 202 with \`response_id\` and \`poll_url\`; poll until \`status\` is \`completed\`, then fetch \`response_url\`. A poll tells \`status\`
  (\`pending\`, \`running\`, \`completed\`); a pending request's \`queue_position\`, a running one's \`progress\` (\`step\` and \`total\`), a completed one's \`outcome\` (\`succeeded\`,
  \`failed\`, \`cancelled\`) with \`error\` when it failed. Its \`response_url\` answers the output, or the error with its own status. Outputs are
  deleted 24 hours after they were stored; their records answer 410 for another 7 days.
- \`/v1\` stays compatible: fields are only added. A breaking change gets \`/v2\` beside it for at least six months.

## Webhooks

\`X-Service-Webhook: https://…\` on an asynchronous request has its completion announced there: a POST of \`{"type": "inference.completed", "timestamp", "data"}\`, with
the poll body as \`data\`. Any 2xx ends it; else it is tried again after 5 seconds, 5 and 30 minutes, 2 hours and so on, ten times in about three days, unless the receiver
answers 410. Redirects are not followed, and receivers in private networks need the setting \`webhook-private-targets\`. It is signed as [Standard Webhooks](https://www.standardwebhooks.com) say: hand a library of theirs the secret (\`whsec_…\`, from
\`GET /v1/webhooks/secrets\` or the console), the exact bytes of the body and its three \`webhook-\` headers. After a rotation both secrets sign for a day, so change the
receiver's within it. The same announcement keeps its \`webhook-id\` over all attempts: ignore one you have seen.

## Streams

\`stream: true\` answers \`text/event-stream\`: only \`data:\` lines, one event per write, in this order: a chunk with role and null content for each
choice; content chunks; a last content chunk with \`finish_reason\`; with \`stream_options.include_usage\` a chunk with \`choices: []\` and \`usage\`;
\`data: [DONE]\`. A failure after the first byte is \`data: {"error": …}\`, and the stream ends without \`[DONE]\`. Events are plain ASCII, with \`\\u\` escapes for
everything else, because published clients decode network chunks one by one.
`

function section(route: DocumentedRoute): string {
  const { method, path, parameters = [], body, answers, refusals = [] } = route
  const cells = ({ name, accepts, fallback, description }: FieldRow) => [code(name), accepts, code(fallback), description]
  const parameterCells = parameterRows(parameters).map((row) => cells(row).toSpliced(1, 0, row.in))
  const bodyCells = body === undefined ? [] : fieldRows(body).map(cells)
  const outcomes = answers.map(({ status, description: words }) => `${status} (${words.replace(/\.$/, '')})`).join(', ')
  const refused = refusals.length === 0 ? '' : `; refusals ${refusals.toSorted((a, b) => a - b).join(', ')}`
  return [
    `## ${method.toUpperCase()} ${path}`,
    describePurpose(route),
    describeScopes(route),
    table(['name', 'in', 'must be', 'default', 'meaning'], parameterCells),
    table(['field', 'must be', 'default', 'meaning'], bodyCells),
    `Answers ${outcomes}${refused}.`,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n')
}

function code(words: string): string {
  return words === '' ? '' : `\`${words}\``
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

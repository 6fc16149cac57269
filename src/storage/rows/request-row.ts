import type { NumberedRequest, RequestLogQuery } from '../../core/ports/request-log.ts'
import type { RequestRecord } from '../../core/requests/request-record.ts'
import { outcomes, readErrorOrNull } from './inference-row.ts'
import { type Row, readInteger, readIntegerOrNull, readOneOf, readText, readTextOrNull } from './row.ts'

const kinds = ['chat', 'completion', 'embedding', 'rerank', 'image'] as const

/** Columns of `request_records` except its number; `words` is the excerpt in lower case, for searching. */
export const requestColumns = [
  'id',
  'account_id',
  'token_id',
  'kind',
  'model',
  'at',
  'excerpt',
  'words',
  'call',
  'outcome',
  'prompt_tokens',
  'completion_tokens',
  'images',
  'duration_ms',
  'refused',
  'first_token_ms',
  'error',
] as const

/** Parameters for writing a record. */
export function writeRequest({
  requested,
  result,
  ...record
}: RequestRecord): Readonly<Record<(typeof requestColumns)[number], string | number | null>> {
  return {
    id: record.id,
    account_id: record.accountId,
    token_id: record.tokenId,
    kind: record.kind,
    model: record.model,
    at: record.at,
    excerpt: requested?.excerpt ?? null,
    words: requested?.excerpt.toLowerCase() ?? null,
    call: requested?.call ?? null,
    // Earlier program versions read `outcome` too, and have no value for refusals.
    outcome: result?.outcome === 'refused' ? 'failed' : (result?.outcome ?? null),
    refused: result?.outcome === 'refused' ? 1 : null,
    first_token_ms: result?.firstTokenMs ?? null,
    error: result?.error ? JSON.stringify(result.error) : null,
    prompt_tokens: result?.promptTokens ?? null,
    completion_tokens: result?.completionTokens ?? null,
    images: result?.images ?? null,
    duration_ms: result?.durationMs ?? null,
  }
}

/** A row of `request_records`. */
export function readRequest(row: Row): NumberedRequest {
  const excerpt = readTextOrNull(row, 'excerpt')
  const count = (column: string) => readIntegerOrNull(row, column) ?? 0
  return {
    number: readInteger(row, 'seq'),
    id: readText(row, 'id'),
    accountId: readText(row, 'account_id'),
    tokenId: readTextOrNull(row, 'token_id'),
    kind: readOneOf(row, 'kind', kinds),
    model: readText(row, 'model'),
    at: readInteger(row, 'at'),
    requested: excerpt === null ? null : { excerpt, call: readTextOrNull(row, 'call') },
    result:
      row.outcome === null
        ? null
        : {
            outcome: readIntegerOrNull(row, 'refused') === 1 ? 'refused' : readOneOf(row, 'outcome', outcomes),
            promptTokens: count('prompt_tokens'),
            completionTokens: count('completion_tokens'),
            images: count('images'),
            durationMs: count('duration_ms'),
            firstTokenMs: readIntegerOrNull(row, 'first_token_ms'),
            error: readErrorOrNull(row, 'error'),
          },
  }
}

/** SQL conditions of a query and their parameters. @param ids The dialect's condition for one of a list of ids. */
export function requestConditions(
  { accountId, search, kind, deferred, ids, before }: RequestLogQuery,
  listed: string,
): { readonly where: string; readonly parameters: Readonly<Record<string, string | number | readonly string[] | null>> } {
  const conditions = [
    accountId !== null && 'account_id = :accountId',
    kind !== null && 'kind = :kind',
    deferred !== null && (deferred ? 'outcome is null' : 'outcome is not null'),
    ids !== null && listed,
    before !== null && 'seq < :before',
    // Wildcards in a search text are escaped.
    search !== null && `words like :pattern escape '!'`,
  ].filter((condition) => condition !== false)
  return {
    where: conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`,
    parameters: { accountId, kind, ids, before, pattern: search === null ? null : writePattern(search) },
  }
}

/** SQLite ends patterns at NUL and would match everything; stored words contain none. */
function writePattern(search: string): string {
  return `%${search.toLowerCase().replaceAll('\0', '\uFFFD').replace(/[!%_]/g, '!$&')}%`
}

const expired = '"message":"The details of this error have expired."'

/**
 * SQL condition for a record with words. Both databases have an index with this condition, so queries must repeat it literally, and it never
 * changes after a release.
 */
export const hasWords = `(excerpt is not null or error not like '%${expired}%')`

/**
 * SQL for deleting the words of old requests. Errors keep only their code, since an upstream's sentence may quote the prompt. An asynchronous
 * request that waited for long keeps both until its result expires, since clients may read the error until then.
 *
 * @param position The dialect's function for the position of a text in another one.
 * @param inferenceId The dialect's expression for the id of a record's inference.
 */
export function wordExpiry(
  position: 'instr' | 'strpos',
  inferenceId: string,
): {
  readonly due: string
  readonly withoutWords: string
  readonly withoutSentence: string
  readonly parameters: Readonly<Record<'sentence' | 'blank', string>>
} {
  const sentence = ',"message":'
  const withoutSentence = `error = substr(error, 1, nullif(${position}(error, :sentence), 0) - 1) || :blank`
  return {
    // A scalar subquery, which PostgreSQL never turns into a join that reads all inferences.
    due: `at <= :words and ${hasWords} and not coalesce(
      (select expires_at is null or expires_at > :now from inferences where inferences.id = ${inferenceId}), false)`,
    withoutWords: `excerpt = null, words = null, call = null, ${withoutSentence}`,
    withoutSentence,
    parameters: { sentence, blank: `,${expired},"param":null}` },
  }
}

import type { TObject } from 'typebox'
import type { ServiceAddresses } from '../../core/service-addresses.ts'
import type { ErrorStatus } from '../faults/error-status.ts'
import type { RouteAnswer, RouteDescription } from '../route-description.ts'
import { a1111ErrorSchema } from '../wire/a1111/a1111-error.ts'
import type { BodySettings } from '../wire/chat/sampling-fields.ts'
import { errorBodySchema } from '../wire/deferred/inference.ts'
import { nativeErrorSchema } from '../wire/llama-cpp/native-error.ts'
import { messageErrorSchema } from '../wire/messages/message-answers.ts'
import { ollamaErrorSchema } from '../wire/ollama/ollama-error.ts'
import { type DocumentedRoute, documentedRoutes } from './documented-routes.ts'
import { refusalAnswers, refusalReference } from './error-examples.ts'
import { asShown, withNulls } from './shown-schema.ts'

/** The parts of an OpenAPI 3.1 document that this code reads itself. */
interface ApiDocument {
  readonly openapi: '3.1.0'
  readonly info: object
  readonly servers: readonly { readonly url: string }[]
  readonly security: readonly object[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
  readonly components: object
}

/** Describes the public interface from the schemas that check it, each route at its own address. */
export function describeApi(routes: readonly RouteDescription[], settings: BodySettings, addresses: ServiceAddresses): ApiDocument {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of documentedRoutes(routes, settings)) {
    const operation = { ...describeRoute(route), ...routeServers(route, addresses) }
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sepia',
      version: '1',
      description: 'Language and image models, synchronous, streamed or asynchronous. `/v1` stays compatible: fields are only added.',
    },
    servers: [{ url: addresses.publicUrl }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An access token from the page Access tokens of the console.' },
      },
      schemas: {
        Error: errorBodySchema,
        MessageError: messageErrorSchema,
        NativeError: nativeErrorSchema,
        OllamaError: ollamaErrorSchema,
        A1111Error: a1111ErrorSchema,
      },
      responses: refusalAnswers(),
    },
  }
}

function describeRoute(route: DocumentedRoute): object {
  const { method, path, summary, description, scopes, scopeRule, parameters = [], body, example, answers, refusals = [] } = route
  const always: readonly ErrorStatus[] = scopes === null ? [400, 405, 500] : [400, 401, 403, 405, 500]
  const words = [description, scopeRule && `Scope: ${scopeRule}.`].filter((part) => part !== undefined)
  const refused = [...new Set([...refusals, ...always])].toSorted((a, b) => a - b)
  return {
    operationId: operationName(method, path),
    summary,
    description: words.join(' ') || undefined,
    ...(scopes === null ? { security: [] } : { 'x-scopes': scopes }),
    parameters: parameters.length > 0 ? parameters.map((parameter) => ({ ...parameter, required: parameter.in === 'path' })) : undefined,
    requestBody: body && { required: true, content: { [mediaTypeOf(route)]: describeBody(body, example) } },
    responses: {
      ...Object.fromEntries(answers.map((answer) => [answer.status, describeAnswer(answer)])),
      ...Object.fromEntries(refused.map((status) => [status, refusalReference(path, status)])),
    },
  }
}

function mediaTypeOf({ takes }: DocumentedRoute): string {
  return takes === undefined ? 'application/json' : 'multipart/form-data'
}

function describeBody(body: TObject, example: DocumentedRoute['example']): object {
  return { schema: withNulls(body), examples: example && { plain: { summary: 'A plain request', value: example } } }
}

/** The operation's id, such as `getV1RequestsId`, from which generators name functions. */
function operationName(method: string, path: string): string {
  const words = path.split(/\W+/).filter((word) => word !== '')
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function describeAnswer({ description, content }: RouteAnswer): object {
  if (content === undefined) return { description }
  return { description, content: Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema: asShown(schema) }])) }
}

/** The route's `servers` entry; nothing when it uses the document's own. */
function routeServers(
  { origin }: DocumentedRoute,
  addresses: ServiceAddresses,
): { readonly servers?: readonly { readonly url: string }[] } {
  const url = addresses[origin ?? 'publicUrl']
  return url === addresses.publicUrl ? {} : { servers: [{ url }] }
}

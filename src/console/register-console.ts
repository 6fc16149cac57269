import type { FastifyInstance } from 'fastify'
import { Thumbnails } from '../operations/pictures/thumbnails.ts'
import { AppSource, appBuildFolder } from './bundle/app-files.ts'
import type { ConsoleDependencies, ConsoleSettings } from './console-dependencies.ts'
import { requireOwnHost, requireSameOrigin } from './request-guard.ts'
import { registerAccessTokens } from './routes/access-tokens.ts'
import { registerAccount } from './routes/account.ts'
import { registerAppPages } from './routes/app-pages.ts'
import { registerAudit } from './routes/audit.ts'
import { registerConversations } from './routes/conversations.ts'
import { registerGallery } from './routes/gallery.ts'
import { registerImageAssets } from './routes/image-assets.ts'
import { registerModels } from './routes/models.ts'
import { registerOpenidReturn } from './routes/openid-return.ts'
import { registerOpenidStart } from './routes/openid-start.ts'
import { registerOutputs } from './routes/outputs.ts'
import { registerOwnSignInWays } from './routes/own-sign-in-ways.ts'
import { registerPasskeySignIn } from './routes/passkey-sign-in.ts'
import { registerPasskeys } from './routes/passkeys.ts'
import { registerPeople } from './routes/people.ts'
import { registerPictures } from './routes/pictures.ts'
import { registerPresets } from './routes/presets.ts'
import { registerRequestBodies } from './routes/requests/request-bodies.ts'
import { registerRequestLogs } from './routes/requests/request-logs.ts'
import { registerRequests } from './routes/requests/requests.ts'
import { registerSecondFactor } from './routes/second-factor.ts'
import { registerService } from './routes/service.ts'
import { registerSession, registerSessions } from './routes/session.ts'
import { registerSignUp } from './routes/sign-up.ts'
import { registerUsage } from './routes/usage.ts'
import { registerWebhooks } from './routes/webhooks.ts'
import { OpenIdProvider } from './sign-in/openid/openid-provider.ts'
import { SignInThrottle } from './sign-in/sign-in-throttle.ts'
import { identifyPerson } from './sign-in/signed-in.ts'

/** Registers the web console: its pages at `/` and `/console`, and their JSON routes under `/console/api`. */
export async function registerConsole(server: FastifyInstance, deps: ConsoleDependencies, settings: ConsoleSettings): Promise<void> {
  const throttle = new SignInThrottle(deps.clock)
  const { signIn } = settings
  const thumbnails = new Thumbnails({ ...deps, ...settings })
  const openId = signIn.openId && { ...signIn.openId, provider: new OpenIdProvider(signIn.openId, deps.clock) }
  await server.register(async (pages) => {
    pages.addHook('onRequest', async (request, reply) => {
      reply.headers(securityHeaders)
      requireOwnHost(request.headers, deps)
    })
    if (openId !== null) registerOpenidReturn(pages, { ...deps, throttle, signIn, openId })
    registerAppPages(pages, new AppSource(appBuildFolder, deps.onOutdated), deps)
    await pages.register(async (api) => {
      api.addHook('onRequest', async (request, reply) => {
        reply.header('cache-control', 'no-store')
        requireSameOrigin(request, deps.addresses().publicUrl)
      })
      registerSession(api, { ...deps, ...settings, throttle })
      registerPasskeySignIn(api, { ...deps, throttle, signIn })
      registerSignUp(api, { ...deps, throttle, signIn })
      if (openId !== null) registerOpenidStart(api, { ...deps, throttle, signIn, openId })
      await api.register(async (own) => {
        own.addHook('onRequest', (request, reply) => identifyPerson(deps, request, reply))
        registerAccount(own, { ...deps, throttle, signIn })
        registerOwnSignInWays(own, { ...deps, signIn })
        registerPasskeys(own, { ...deps, throttle, signIn })
        registerSecondFactor(own, { ...deps, throttle, signIn })
        registerSessions(own, deps)
        registerAccessTokens(own, { ...deps, ...settings })
        registerWebhooks(own, deps)
        registerConversations(own, { ...deps, ...settings })
        registerPresets(own, { ...deps, ...settings })
        registerRequests(own, deps)
        registerRequestBodies(own, deps)
        registerRequestLogs(own, deps, settings)
        registerOutputs(own, { ...deps, thumbnails })
        registerGallery(own, deps)
        registerPictures(own, { ...deps, ...settings, thumbnails })
        registerUsage(own, deps)
        registerModels(own, deps, settings)
        registerImageAssets(own, deps)
        registerPeople(own, deps)
        registerAudit(own, deps)
        registerService(own, deps, settings)
      })
    })
  })
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  // Only the worker that reads PDFs, which a page may start more than once.
  "trusted-types workers 'allow-duplicates'",
].join('; ')

/** Headers of all answers below the console's addresses, besides those of every answer. */
const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
}

import { CookieJar } from './cookie-jar.ts'

/** Goes through the provider as a browser does, and returns the address of the service that it is sent back to. */
export async function visitProvider(address: string): Promise<string> {
  const provider = new URL(address).origin
  const jar = new CookieJar()
  for (let next = address, hop = 0; hop < 10; hop++) {
    const answer = await fetch(next, { redirect: 'manual', headers: { cookie: jar.header() } })
    jar.take(answer.headers.getSetCookie())
    const location = answer.headers.get('location')
    if (location === null) throw new Error(`The provider answered ${answer.status}: ${await answer.text()}`)
    const leads = new URL(location, next)
    if (leads.origin !== provider) return leads.href
    next = leads.href
  }
  throw new Error('The provider sends the browser in circles.')
}

import { path } from '../../state/router.ts'

/** The page that a sign-in elsewhere leads back to; the sign-in page itself is none. */
export function pageToReturnTo(): { readonly page?: string } {
  return path.value.startsWith('/console/') && path.value !== '/console/sign-in' ? { page: path.value } : {}
}

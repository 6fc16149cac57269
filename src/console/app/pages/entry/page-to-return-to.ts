import { path } from '../../state/router.ts'

/** The page to return to after an external sign-in; none for the sign-in page itself. */
export function pageToReturnTo(): { readonly page?: string } {
  return path.value.startsWith('/console/') && path.value !== '/console/sign-in' ? { page: path.value } : {}
}

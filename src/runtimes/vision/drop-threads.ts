/**
 * Gives up the permission to open threads, for good and for this thread alone: under Node's permission model a new thread can leave that model.
 * Nothing changes without a permission model, and in versions of Node that cannot take a permission back.
 */
export function dropThreads(): void {
  const permission: unknown = process.permission
  if (typeof permission === 'object' && permission !== null && 'drop' in permission && typeof permission.drop === 'function')
    permission.drop('worker')
}

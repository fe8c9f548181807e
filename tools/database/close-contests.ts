import type { Client } from 'pg'

/**
 * Closes every running contest, so that nobody can order until somebody opens it again. For a database that lacks its
 * last sales: it would issue their numbers a second time. Orders that were under way in it are settled all the same.
 * @returns the slugs of those it closed
 */
export async function closeContests(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ slug: string }>(
    'UPDATE offers SET active = false WHERE active AND end_date > now() RETURNING slug',
  )
  return rows.map(({ slug }) => slug).toSorted()
}

import { ApiError } from '#client/api-error.ts'

/** A page of a public list, with the address of the next one. */
interface ListPage<Item> {
  items: Item[]
  next: string | null
}

/** A failure becomes a message instead of an error page. @param ask calls for the page that the address asks for */
export async function loadList<Item>(
  ask: (query: string, signal: AbortSignal) => Promise<ListPage<Item>>,
  { url, signal }: Request,
): Promise<{ page: ListPage<Item>; query: string; error?: string }> {
  const after = new URL(url).searchParams.get('after')
  const query = after === null ? '' : `?after=${encodeURIComponent(after)}`
  try {
    return { page: await ask(query, signal), query }
  } catch (error) {
    if (error instanceof ApiError) return { page: { items: [], next: null }, query, error: error.message }
    throw error
  }
}

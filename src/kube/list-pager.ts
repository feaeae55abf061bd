/** Lists a resource page by page, so that only one page is in memory at a time. */
import { METADATA_LIST_ONLY } from './client.ts';
import { ApiError, isExpired } from './errors.ts';
import { type Resource, resourcePath, type WireObject, withKind } from './object.ts';
import type { Query, Transport } from './transport.ts';

export interface Selection {
  readonly resource: Resource;
  /** Undefined: of all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Only metadata is asked for. */
  readonly metadataOnly?: boolean;
}

export interface Page {
  readonly items: readonly WireObject[];
  /** Of the whole list; the one to watch from after the last page. */
  readonly resourceVersion: string;
  /** The pages before this one are void: the list had to be started again. */
  readonly restarted: boolean;
}

interface List {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly WireObject[] | null;
}

export const DEFAULT_PAGE_SIZE = 500;

export function selectionQuery({ labelSelector, fieldSelector }: Selection): Query {
  return { ...(labelSelector ? { labelSelector } : {}), ...(fieldSelector ? { fieldSelector } : {}) };
}

/**
 * Yields the pages of a consistent list. When the server has forgotten the list's version half-way (410), it is asked
 * once more without pages, as client-go's pager does: slower for the server, but it ends.
 */
export async function* listPages(
  transport: Transport,
  selection: Selection,
  pageSize: number,
  signal: AbortSignal,
): AsyncGenerator<Page, void> {
  let token: string | undefined;
  let limit: number | undefined = pageSize;
  let restarted = false;
  for (;;) {
    let list: List;
    try {
      list = await fetchPage(transport, selection, { limit, continue: token }, signal);
    } catch (error) {
      if (!isExpired(error) || token === undefined) throw error;
      token = undefined;
      limit = undefined;
      restarted = true;
      continue;
    }
    token = list.metadata.continue || undefined;
    const items = (list.items ?? []).map((item) => withKind(item, selection.resource));
    yield { items, resourceVersion: list.metadata.resourceVersion, restarted };
    restarted = false;
    if (token === undefined) return;
  }
}

/** All objects at once, for callers that show a list to a person. */
export async function listAll(transport: Transport, selection: Selection, signal: AbortSignal): Promise<readonly WireObject[]> {
  let all: WireObject[] = [];
  for await (const page of listPages(transport, selection, DEFAULT_PAGE_SIZE, signal)) {
    all = page.restarted ? [...page.items] : all.concat(page.items);
  }
  return all;
}

async function fetchPage(transport: Transport, selection: Selection, paging: Query, signal: AbortSignal): Promise<List> {
  const path = resourcePath(selection.resource, selection.namespace);
  const { body } = await transport.request<List>(
    {
      path,
      query: { ...selectionQuery(selection), ...paging },
      accept: selection.metadataOnly ? METADATA_LIST_ONLY : 'application/json',
      compressed: true,
      timeoutMs: 60_000,
    },
    signal,
  );
  // A login page or a misrouted proxy also answers 200; taken for an empty list it would look as if everything was deleted.
  if (typeof body?.metadata?.resourceVersion !== 'string')
    throw new ApiError(`GET ${path}`, 502, { message: 'the answer is no Kubernetes list' });
  return body;
}

// MCP servers that the owner registers, so that agents can pay them by name.
import { mcpServiceId } from '../../contract/catalog/mcp-names.schemas.ts';
import { invariant } from '../../errors.ts';
import { shellWord } from '../../lib/shell-word.ts';
import { done, type EngineContext } from '../calls/call.ts';
import { serviceView } from '../calls/views.ts';
import { mcpServer } from '../domain/mcp-service.ts';
import type { SomeOperations } from '../ports.ts';

export const mcpServerOperations = ({ store, publish }: EngineContext) =>
  ({
    addMcpServer({ body: { name, command } }) {
      const id = mcpServiceId(name);
      const endpoint = `MCP ${command.map(shellWord).join(' ')}`;
      const known = store.services.listed(id);
      // Another command is another server: its payees need the owner's approval anew.
      const payees = known?.endpoint === endpoint ? known.payees : [];
      const description = 'An MCP server that is started on this machine.';
      store.atomically(() =>
        store.services.upsert(
          { ...mcpServer, id, name, description, endpoint, origin: '', payees },
          { addedByOwner: true },
        ),
      );
      publish({ type: 'service', serviceId: id });
      const added = store.services.listed(id);
      invariant(added !== undefined, 'what was added is listed');
      return done(serviceView(added));
    },
  }) satisfies SomeOperations;

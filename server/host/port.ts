// The first look of every start: whether the port can be had. Nothing is built or made before it.
import { folderServing } from '../client/endpoint.ts';
import { defaultDataDir, type Config } from '../config.ts';
import { refuseTakenPort } from '../lib/net/port.ts';

/** @throws AppError `conflict` that says who holds the port, and what to type */
export const checkPort = ({ port, dataDir }: Pick<Config, 'port' | 'dataDir'>): Promise<void> =>
  refuseTakenPort({ port, dataDir, folderServing: folderServing([dataDir, defaultDataDir]) });

/*
 * libpq.h - PostgreSQL's client library, loaded when a server is asked for
 *
 * Linking it would cost every start of the program some milliseconds, for a library that
 * brings Kerberos, LDAP and TLS along; so it is opened at run time, and only its header is
 * needed to build.
 *
 *     pq = hd_libpq(err)         NULL: it cannot be loaded, or its header was not there at the build
 *     pq->connectdb(...)         PQconnectdb, and so on
 */
#ifndef HD_DB_LIBPQ_H
#define HD_DB_LIBPQ_H

#include "base/err.h"

#ifdef HAVE_LIBPQ

#include <libpq-fe.h>

/* The functions that are used; X(name) is PQname. */
#define HD_LIBPQ_FUNCTIONS(X)										\
	X(clear) X(cmdStatus) X(connectdbParams) X(conninfoFree) X(conninfoParse) X(describePrepared)	\
	X(errorMessage) X(exec) X(execParams) X(execPrepared) X(finish) X(fname) X(freemem) X(ftype) X(getResult)	\
	X(getisnull) X(getlength) X(getvalue) X(nfields) X(nparams) X(ntuples) X(parameterStatus)	\
	X(prepare) X(resultErrorField) X(resultStatus) X(sendQueryPrepared) X(setNoticeProcessor)	\
	X(setSingleRowMode) X(status)

struct hd_libpq {
#define X(name) __typeof__(PQ##name) *name;
	HD_LIBPQ_FUNCTIONS(X)
#undef X
};

/* It stays loaded until the process ends. */
int hd_libpq_load(struct hd_libpq *pq, struct hd_err *err);

#endif

#endif

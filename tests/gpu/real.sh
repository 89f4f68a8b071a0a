#!/bin/bash
echo "skipped: a real GPU: not written"

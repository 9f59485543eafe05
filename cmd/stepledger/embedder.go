package main

import "github.com/stepledger/stepledger/commands/knowledge"

func (s *system) embedder() knowledge.Embedder { return nil }
